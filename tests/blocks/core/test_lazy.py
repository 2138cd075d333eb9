"""Names of a package and functions of a verb that are imported at their first use, and not before."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from drawbar.blocks.core.lazy import later, lazy_names

PACKAGE, HOME = "lazy_package", "lazy_home"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with one name of its own and two lazy ones, of which the home defines one."""
    (tmp_path / f"{HOME}.py").write_text("answer = object()\ndef add(*numbers):\n    return sum(numbers)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, HOME, raising=False)
    module = ModuleType(PACKAGE)
    monkeypatch.setitem(sys.modules, PACKAGE, module)
    homes = {"answer": HOME, "gone": HOME}
    module.__dict__["own"] = 1
    module.__getattr__, module.__dir__ = lazy_names(PACKAGE, homes)  # type: ignore[method-assign, assignment]
    return module


def test_a_name_is_imported_at_its_first_use_and_kept(package: ModuleType) -> None:
    assert HOME not in sys.modules
    answer = package.answer
    assert answer is sys.modules[HOME].answer  # type: ignore[attr-defined]
    assert vars(package)["answer"] is answer  # `__getattr__` is not asked again


def test_a_package_lists_its_names_without_importing_them(package: ModuleType) -> None:
    assert {"own", "answer", "gone"} <= set(dir(package))
    assert HOME not in sys.modules


def test_a_name_that_nobody_defines_is_an_attribute_error_of_the_package(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"{PACKAGE}.*missing"):
        _ = package.missing
    assert not hasattr(package, "missing")
    assert HOME not in sys.modules


def test_a_name_that_its_home_does_not_define_is_an_attribute_error_of_the_home(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"{HOME}.*gone"):
        _ = package.gone


@pytest.mark.usefixtures("package")
def test_a_function_is_imported_when_it_is_called() -> None:
    add = later(f"{HOME}:add")
    assert HOME not in sys.modules
    assert add(1, 2) == 3
    assert HOME in sys.modules
    assert add() == 0
