"""Blocks whose law is a C function."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from drawbar.blocks.authoring.block import EXPLICIT, METHODS, Block, summary
from drawbar.blocks.authoring.c_source import CSource
from drawbar.blocks.authoring.model import Model
from drawbar.blocks.authoring.resource import Resource, folder_of
from drawbar.blocks.authoring.variables import State
from drawbar.blocks.core.errors import DefinitionError, did_you_mean
from drawbar.blocks.core.interface import Interface, Port, exact_period

_FILE = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.[ch]")
# members of a C struct cannot have these names: keywords of C that Python allows, and macros of the standard headers
_C_NAMES = frozenset(["case", "inline", "restrict", "errno", "NULL", "EOF", "NAN", "INFINITY", "LENGTH", "PERIOD"])
# names that the generated header defines for all blocks, so no resource can have them
_ACCESSORS = frozenset(["parameters", "inputs", "states", "outputs", "derivatives", "next_states"])
MAX_WORK = 10**8  # elements


class Kernel(Block):
    """A block whose ``outputs``, and ``update`` or ``derivatives`` if it has states, are functions in a C file.

    It serves for laws that expressions cannot state: loops that end early, maps, grids. Class keywords: `source` is the
    C file beside the module, or a list of it and the files that it includes. With `period` the block acts at samples,
    as `Sampled` does; without, it is integrated by `method` and `step`, as `Continuous` is. `work` and `integer_work`
    are the numbers of doubles and long longs of scratch memory that the functions need. `feedthrough` maps an output of
    a block without period to the inputs with direct feedthrough to it; outputs that are not named depend on all inputs.
    ``abstract=True`` marks a base class that is not a block itself.

    Each function is ``int NAME(const double **arg, double **res, long long *iw, double *w, int mem)`` and returns 0, or
    another number if it failed. The header that Drawbar generates, named like the C file, provides the arguments under
    the names of the block. The functions must not retain anything between calls: the memory of a block is its `State`
    variables.
    """

    _keywords: ClassVar[dict[str, Any]] = {"method": "rk4", "step": Fraction(1, 1000), "work": 0, "integer_work": 0}

    def __init_subclass__(
        cls,
        *,
        source: str | Path | Sequence[str | Path] | None = None,
        period: float | str | Fraction | None = None,
        method: str | None = None,
        step: float | str | Fraction | None = None,
        work: int | None = None,
        integer_work: int | None = None,
        feedthrough: Mapping[str, Sequence[str]] | None = None,
        abstract: bool = False,
        **rest: Any,
    ) -> None:
        super().__init_subclass__(**rest)
        name = cls.__name__
        given: dict[str, Any] = {"method": method, "work": work, "integer_work": integer_work}
        given["feedthrough"] = feedthrough
        for word, seconds in (("period", period), ("step", step)):
            try:
                given[word] = None if seconds is None else exact_period(seconds)
            except ValueError as error:
                raise DefinitionError(f"{name}: {word}: {error}") from None
        if source is not None:
            given["paths"] = _paths(cls, [source] if isinstance(source, str | Path) else list(source))
        cls._keywords = {**cls._keywords, **{k: v for k, v in given.items() if v is not None}}
        if cls._keywords["method"] not in METHODS:
            raise DefinitionError(f"{name}: method='{method}'" + did_you_mean(str(method), METHODS))
        if cls._keywords["method"] not in EXPLICIT:
            raise DefinitionError(
                f"{name}: method='{method}' takes the exact derivatives of the equations, which C text has not; "
                f"choose one of {', '.join(EXPLICIT)}"
            )
        for word in ("work", "integer_work"):
            if not isinstance(count := cls._keywords[word], int) or not 0 <= count <= MAX_WORK:
                raise DefinitionError(f"{name}: {word}={count}; give a whole number from 0 to {MAX_WORK}")
        if not abstract:
            cls.is_sampled = "period" in cls._keywords
            if "paths" not in cls._keywords:
                raise DefinitionError(
                    f"{name}: say which C file gives its functions: class {name}(Kernel, source='lidar.c')"
                )
            cls._define()
            cls._model = _model(cls)


def _paths(cls: type[Kernel], files: list[str | Path]) -> tuple[Path, ...]:
    paths = tuple(folder_of(cls) / file for file in files)
    if not paths or paths[0].suffix != ".c":
        raise DefinitionError(f"{cls.__name__}: source={files}; the first is the C file, as in source='lidar.c'")
    for path in paths:
        if not _FILE.fullmatch(path.name):
            raise DefinitionError(f"{cls.__name__}: '{path.name}'; a C file is named as in 'lidar.c' or 'heap.h'")
        if not path.is_file():
            near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.[ch]")])
            raise DefinitionError(f"{cls.__name__}: there is no C file {path}{near}")
    names = [path.name for path in paths] + [paths[0].stem + ".h"]
    if twice := {name for name in names if names.count(name) > 1}:
        raise DefinitionError(f"{cls.__name__}: {min(twice)} is there twice (Drawbar generates {names[-1]})")
    return paths


def _model(cls: type[Kernel]) -> Model:
    name, keywords = cls.__name__, cls._keywords
    for method in ("outputs", "update", "derivatives"):
        if hasattr(cls, method):
            raise DefinitionError(f"{name}.{method}(): a kernel block has it as a C function; remove this one")
    ports = cls._ports
    states = tuple(port for port in ports if isinstance(cls.variables[port.name], State))
    p = tuple(port for port in ports if port.causality == "parameter")
    u = tuple(port for port in ports if port.causality == "input")
    y = tuple(port for port in ports if port not in states and port.causality in ("output", "local"))
    period: Fraction | None = keywords.get("period")
    if not states and not y:
        raise DefinitionError(f"{name} declares no output and no state, so it does nothing")
    if period and (port := next((s for s in states if s.causality == "output"), None)):
        raise DefinitionError(f"{name}.{port.name}: a sampled state is no output; give it as one in outputs()")
    _check_names(name, ports, list(cls._resources.values()))
    advance = ("update" if period else "derivatives",) if states else ()
    running, initially = _dependencies(name, states, u, p, y, period is not None, keywords.get("feedthrough", {}))
    model = Model(
        name=name,
        interface=Interface(
            name=name,
            ports=p + u + states + y,
            feedthrough=running,
            initial_feedthrough=initially,
            period=period,
            description=summary(cls),
        ),
        p=p,
        u=u,
        x=() if period else states,
        z=states if period else (),
        y=y,
        method="euler" if period else keywords["method"],
        step=period or keywords["step"],
        period=period,
        c=CSource(
            paths=keywords["paths"],
            functions=advance + (("outputs",) if y else ()),
            work=keywords["work"],
            integer_work=keywords["integer_work"],
            resources=tuple(cls._resources.values()),
        ),
    )
    sampled = period is not None
    moves = not sampled and any(port.variability == "continuous" for port in u)
    return model.with_capabilities(
        sampled=sampled, integrates=bool(model.x), fresh_read=not sampled, interpolates=moves
    )


def _check_names(block: str, ports: Sequence[Port], resources: Sequence[Resource]) -> None:
    """Raise `DefinitionError` for names that C or the header cannot hold, and for invalid resources."""
    for port in ports:
        if bad := _C_NAMES & set(port.name.split(".")):
            raise DefinitionError(f"{block}.{port.name}: '{min(bad)}' cannot be a name in C; choose another")
    for resource in resources:
        resource.check(block)
        if resource.name in _ACCESSORS | _C_NAMES:
            raise DefinitionError(f"{block}.{resource.name}: the header has this name already; choose another")
    files = [resource.path.name for resource in resources]
    if twice := {file for file in files if files.count(file) > 1}:
        raise DefinitionError(f"{block}: {min(twice)} is declared twice; one resource is enough")


def _dependencies(
    name: str,
    states: Sequence[Port],
    u: Sequence[Port],
    p: Sequence[Port],
    y: Sequence[Port],
    sampled: bool,
    declared: Mapping[str, Sequence[str]],
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return what each output depends on, at communication points and during initialization.

    It depends on all inputs, unless the declaration restricts them.
    """
    outputs = [port for port in y if port.causality == "output"]
    if sampled and declared:
        raise DefinitionError(f"{name}: feedthrough: a sampled output holds its last sample; leave it out")
    for output, inputs in declared.items():
        for word, known in ((output, outputs), *((i, u) for i in inputs)):
            if word not in (valid := [port.name for port in known]):
                raise DefinitionError(f"{name}: feedthrough: '{word}'" + did_you_mean(word, valid))
    others = tuple(n for port in (*states, *p) for n in port.scalar_names())
    held = [n for port in states if port.causality == "output" for n in port.scalar_names()]
    running: dict[str, tuple[str, ...]] = dict.fromkeys(held, ())
    initially: dict[str, tuple[str, ...]] = dict.fromkeys(held, ())
    for port in outputs:
        acting = declared.get(port.name)
        names = tuple(n for i in u if acting is None or i.name in acting for n in i.scalar_names())
        for scalar in port.scalar_names():
            running[scalar] = () if sampled else names
            initially[scalar] = names + others
    return running, initially
