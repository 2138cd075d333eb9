from pathlib import Path

import pytest

from drawbar.blocks.authoring.workspace import Workspace

LAG = "drawbar.blocks.signals.first_order_lag"


def defining(folder: Path, texts: dict[str, str]) -> list[str]:
    """The modules that define blocks, of files with these texts."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    workspace = Workspace([folder], ["drawbar.blocks"])
    assert workspace.broken == {}
    return workspace.modules()


@pytest.mark.parametrize(
    "text",
    [
        "from drawbar.blocks import Continuous\nclass X(Continuous): pass",
        "from drawbar.blocks import Sampled as S\nclass X(S, period=0.1): pass",
        "from drawbar.blocks import *\nclass X(Continuous): pass",
        "from drawbar import blocks\nclass X(blocks.Continuous): pass",
        "import drawbar.blocks\nclass X(drawbar.blocks.Continuous): pass",
        "import drawbar.blocks as db\nclass X(db.Sampled, period=1): pass",
        f"import {LAG} as lag\nclass X(lag.FirstOrderLag): pass",
        f"from {LAG} import FirstOrderLag\nclass FirstOrderLag(FirstOrderLag): pass",
        "from drawbar.blocks import Continuous\nBase = Continuous\nclass X(Base): pass",
        "from drawbar.blocks import Continuous\nclass X(object, Continuous): pass",
        "try:\n    from drawbar.blocks import Continuous\nexcept ImportError:\n    raise\nclass X(Continuous): pass",
        "from drawbar.blocks import Continuous\ndef make(n):\n    class X(Continuous): pass\n    return X\nX = make(1)",
        "from drawbar.blocks import Continuous\nclass A(Continuous, abstract=True): pass\nclass X(A): pass",
    ],
)
def test_a_class_that_derives_from_a_block_is_seen(tmp_path: Path, text: str) -> None:
    assert defining(tmp_path, {"mine.py": text}) == ["mine"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"from {LAG} import FirstOrderLag",
        "from drawbar.blocks import Bus, DrawbarError\nclass Hub(Bus): pass\nclass Own(DrawbarError): pass",
        "from drawbar.blocks import Continuous\nclass X: kind = Continuous",
        "class Continuous: pass\nclass X(Continuous): pass",
        "from drawbar.blocks import Continous\nclass X(Continous): pass",
        "from drawbar.blocks.no_such_module import Y\nclass X(Y): pass",
        "from threading import Thread\nclass X(Thread): pass",
        "class X(Y): pass\nclass Y(X): pass",
        "from mine import X\nclass X(X): pass",
        "from . import X\nclass Y(X): pass",
        "class X(type('Y', (), {})): pass",
    ],
)
def test_other_texts_define_none(tmp_path: Path, text: str) -> None:
    assert defining(tmp_path, {"mine.py": text}) == []


def test_a_base_is_followed_through_the_modules_of_the_folder(tmp_path: Path) -> None:
    texts = {
        "pack/__init__.py": "from .base import Base",
        "pack/base.py": "from drawbar.blocks import Continuous\nclass Base(Continuous): pass",
        "pack/near.py": "from .base import *\nclass X(Base): pass",
        "pack/study.py": "from . import Base\nBase.run()",
        "pack/deep/__init__.py": "",
        "pack/deep/far.py": "from ..base import Base as B\nclass X(B): pass",
        "pack/deep/further.py": "from .. import base\nclass X(base.Base): pass",
        "script.py": "import pack\nclass Mine(pack.Base): pass",
        "other.py": "import pack\nclass Other(pack.Absent): pass",
    }
    found = defining(tmp_path, texts)
    assert found == ["pack.base", "pack.deep.far", "pack.deep.further", "pack.near", "script"]


def test_of_two_folders_the_first_is_taken(tmp_path: Path) -> None:
    for name, base in (("one", "object"), ("two", "Continuous")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "twin.py").write_text(f"from drawbar.blocks import Continuous\nclass X({base}): pass")
    (tmp_path / "one" / "other.py").write_text("from kinds import Base\nclass Y(Base): pass")
    (tmp_path / "two" / "kinds.py").write_text("from drawbar.blocks import Continuous\nclass Base(Continuous): pass")
    one, two = tmp_path / "one", tmp_path / "two"
    assert sorted(Workspace([one, two], ["drawbar.blocks"]).modules()) == ["kinds", "other"]
    assert sorted(Workspace([two, one], ["drawbar.blocks"]).modules()) == ["kinds", "other", "twin"]


def test_only_what_python_could_import_by_name_is_looked_at(tmp_path: Path) -> None:
    block = "from drawbar.blocks import Continuous\nclass X(Continuous): pass"
    for name in (
        "two words.py",
        "pack/__main__.py",
        "pack/__init__.py",
        "no_package/inside.py",
        "notes.txt",
        "both.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(block)
    (tmp_path / "both").mkdir()
    (tmp_path / "both" / "__init__.py").write_text("")
    (tmp_path / "pack" / "round").symlink_to(tmp_path / "pack")
    (tmp_path / "folder.py").mkdir()
    assert Workspace([tmp_path], ["drawbar.blocks"]).modules() == ["pack"]


@pytest.mark.parametrize("text", [b"def f(:", b"x = '\xff'", b"\0", b"# coding: no-such-coding\n", b"(" * 5000])
def test_a_text_that_is_no_python_is_named(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "bad.py").write_bytes(text)
    workspace = Workspace([tmp_path], [])
    assert list(workspace.broken) == ["bad"]
    assert workspace.broken["bad"]
    assert workspace.modules() == []


def test_what_python_warns_of_is_left_to_the_import(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("x = '\\d' is 'd'")
    assert Workspace([tmp_path], []).broken == {}
