"""What the declaration of a kernel block may say; each mistake is one sentence when the class is defined."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drawbar.blocks import Continuous, DefinitionError, Input, Kernel, Output, Parameter, Resource, Sampled, State
from drawbar.blocks.authoring.block import kind_of
from drawbar.blocks.sensors.ray_march import RayMarch
from drawbar.blocks.signals.gain import Gain
from drawbar.blocks.signals.unit_delay import UnitDelay


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "law.c"
    file.write_text('#include "law.h"\n')
    (tmp_path / "table.npy").write_bytes(b"")
    return file


def define(path: Path, names: dict[str, Any] | None = None, **keywords: Any) -> type[Kernel]:
    """A class with an output `y` and these further names."""
    body = {"y": Output("1", "out"), "__module__": __name__, "__qualname__": "Law", **(names or {})}
    for name, word in body.items():
        if hasattr(word, "__set_name__"):
            word.name = name
    keywords = {"source": path, **keywords}
    made = type("Law", (Kernel,), body, **keywords)
    assert issubclass(made, Kernel)
    return made


def test_a_kernel_without_period_is_continuous(path: Path) -> None:
    model = define(path, {"x": State(0.0, "1", "state", output=True)}, method="heun", step=0.01).model()
    assert (model.method, model.step, model.period) == ("heun", Fraction(1, 100), None)
    assert model.c is not None
    assert model.c.functions == ("derivatives", "outputs")
    assert (model.interface.sampled, model.interface.integrates) == (False, True)


def test_a_kernel_with_period_is_sampled(path: Path) -> None:
    model = define(path, {"z": State(0.0, "1", "state")}, period=1 / 30, work=7, integer_work=3).model()
    assert model.period == Fraction(1, 30)
    assert model.c is not None
    assert (model.c.functions, model.c.work, model.c.integer_work) == (("update", "outputs"), 7, 3)
    assert model.interface.sampled
    assert {p.variability for p in model.y} == {"discrete"}


def test_states_alone_need_no_outputs_function(path: Path) -> None:
    class Alone(Kernel, source=path):
        x = State(0.0, "1", "state", output=True)

    model = Alone.model()
    assert model.c is not None
    assert model.c.functions == ("derivatives",)
    assert model.interface.feedthrough == {"x": ()}


def test_a_derived_block_has_another_resource_and_another_size() -> None:
    class Other(RayMarch):
        terrain = Resource("other.npy", "heights, m", make=lambda: np.zeros((3, 5)))
        ranges = Output("m", "distance", size=4)

    model = Other.model()
    assert model.c is not None
    assert [r.path.name for r in model.c.resources] == ["other.npy"]
    assert model.sizes()[-1] == 4
    assert model.period == RayMarch.model().period


def test_kinds_have_names() -> None:
    assert [kind_of(b) for b in (Gain, UnitDelay, RayMarch)] == ["continuous", "sampled", "kernel"]


def nothing(self: Any) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(
    ("keywords", "names", "message"),
    [
        ({"source": None}, {}, r"Law: say which C file gives its functions: class Law\(Kernel, source='lidar\.c'\)"),
        ({"source": "low.c"}, {}, r"Law: there is no C file .*low\.c"),
        ({"source": "law.py"}, {}, r"the first is the C file"),
        ({"source": []}, {}, r"the first is the C file"),
        ({"source": "la w.c"}, {}, r"'la w\.c'; a C file is named as in 'lidar\.c'"),
        ({"period": 0}, {}, "Law: period: 0 s is not positive"),
        ({"step": "x"}, {}, "Law: step: 'x' is no number of seconds"),
        ({"method": "rk5"}, {}, r"Law: method='rk5'; did you mean 'rk4'\?"),
        ({"work": -1}, {}, "Law: work=-1; give a whole number from 0 to 100000000"),
        ({"integer_work": 1.5}, {}, "Law: integer_work=1.5; give a whole number"),
        ({"feedthrough": {"z": []}}, {}, "Law: feedthrough: 'z'; there are: y"),
        ({"feedthrough": {"y": ["v"]}}, {"u": Input("1", "in")}, "Law: feedthrough: 'v'; there are: u"),
        ({"feedthrough": {"y": []}, "period": 1}, {}, "a sampled output holds its last sample; leave it out"),
        ({}, {"outputs": nothing}, r"Law\.outputs\(\): a kernel block has it as a C function; remove this one"),
        ({}, {"restrict": Parameter(1.0, "1", "p")}, r"Law\.restrict: 'restrict' cannot be a name in C"),
        ({}, {"NAN": Parameter(1.0, "1", "p")}, r"Law\.NAN: 'NAN' cannot be a name in C"),
        ({"period": 1}, {"z": State(0.0, "1", "s", output=True)}, r"Law\.z: a sampled state is no output"),
        ({}, {"inputs": Resource("table.npy", "t", make=nothing)}, r"Law\.inputs: the header has this name already"),
        ({}, {"map": Resource("table.npy", " ", make=nothing)}, r"Law\.map: say what the numbers are"),
        ({}, {"map": Resource("table.bin", "t", make=nothing)}, r"Law\.map: 'table\.bin'; a resource is an \.npy file"),
        ({}, {"map": Resource("no.npy", "t")}, r"there is no file .*no\.npy; numpy\.save\('no\.npy', array\)"),
        ({}, {"a": Resource("t.npy", "t", make=nothing), "b": Resource("t.npy", "t", make=nothing)},
         r"Law: t\.npy is declared twice"),
    ],
)  # fmt: skip
def test_a_mistake_is_told(keywords: dict[str, Any], names: dict[str, Any], message: str, path: Path) -> None:
    with pytest.raises(DefinitionError, match=message):
        define(path, names, **keywords)


def test_a_misspelt_c_file_is_told_with_the_nearest(path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"there is no C file .*lawn\.c; did you mean 'law\.c'\?"):
        define(path, source=path.with_name("lawn.c"))


def test_a_kernel_that_gives_nothing_is_refused(path: Path) -> None:
    with pytest.raises(DefinitionError, match="Idle declares no output and no state, so it does nothing"):

        class Idle(Kernel, source=path):
            u = Input("1", "in")


def test_the_generated_header_is_no_file_of_the_author(path: Path) -> None:
    path.with_suffix(".h").write_text("")
    with pytest.raises(DefinitionError, match=r"law\.h is there twice \(Drawbar generates law\.h\)"):
        define(path, source=[path, path.with_suffix(".h")])


@pytest.mark.parametrize("kind", [Continuous, Sampled])
def test_equations_cannot_read_a_resource(kind: type) -> None:
    with pytest.raises(DefinitionError, match=r"Law\.map: equations cannot read a Resource; a Kernel block can"):
        names = {"map": Resource("table.npy", "t", make=nothing), "__module__": __name__}
        type("Law", (kind,), names, **({"period": 1} if kind is Sampled else {}))


def test_a_dtype_that_is_none_is_told(path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"Law\.map: dtype 'float16'; did you mean 'float64'"):
        define(path, {"map": Resource("table.npy", "t", make=lambda: [1.0], dtype="float16")})
