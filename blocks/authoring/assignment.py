"""Checks of the values that a script assigns to its outputs; they act at once, so that the line at fault is known."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.model import Model
from drawbar.blocks.core.errors import DefinitionError
from drawbar.blocks.core.interface import Port, Value
from drawbar.blocks.core.numbers import INTEGERS, MAX_INTEGER, MIN_INTEGER, are_integers

AssignmentCheck = Callable[[Any], Any]
NEAR = 0.8  # similarity to the name of an output from which a name counts as misspelt


@dataclass(frozen=True)
class Kind:
    """The Python form of the values of one FMI type."""

    scalar: type[float] | type[int] | type[bool]
    array: type[np.generic]
    word: str

    def read(self, flat: Sequence[Value | float], shape: tuple[int, ...]) -> Any:
        """Return the elements of a port as a Python value."""
        if not shape:
            return self.scalar(flat[0])
        return np.array(flat, self.array).reshape(shape)


PYTHON_FORMS = {
    "Real": Kind(float, np.float64, "a number"),
    "Integer": Kind(int, np.int64, "a whole number"),
    "Boolean": Kind(bool, np.bool_, "True or False"),
}


def assignment_checks(ports: Iterable[Port]) -> Iterator[tuple[Port, AssignmentCheck]]:
    """Yield each port with a function that checks a value and returns it as it is stored."""
    for port in ports:
        yield port, (_array_check(port) if port.shape else _scalar_check(port))


def why_not_assigned(model: Model, name: str) -> str:
    """Return the reason why a variable that is not an output cannot be assigned."""
    port = next(p for p in model.ports if p.name == name)
    return (
        f"'{name}' is {'an input' if port.causality == 'input' else 'a parameter'}; a script reads it and assigns "
        + (", ".join(f"'{p.name}'" for p in model.y) or "nothing, for it declares no output")
    )


def nearest_output(name: str, outputs: Iterable[str]) -> str | None:
    """Return the output that an undeclared name probably stands for, as in ``output 'alarm'``, or None."""
    if name.startswith("_"):
        return None
    folded = {o.lower(): o for o in outputs}
    found = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=NEAR)
    return f"output '{folded[found[0]]}'" if found else None


def _scalar_check(port: Port) -> AssignmentCheck:
    name, kind, like = port.name, port.type, PYTHON_FORMS[port.type]

    def check(value: Any) -> Any:
        if type(value) is not like.scalar:
            value = _plain(name, like, value)
        if kind == "Boolean":
            return value
        if kind == "Real":
            if value - value != 0.0:  # true for infinity and NaN
                raise DefinitionError(f"'{name}' is {value}")
        elif not MIN_INTEGER <= value <= MAX_INTEGER:
            raise DefinitionError(f"'{name}' is {value}, beyond {INTEGERS}")
        return value

    return check


def _plain(name: str, like: Kind, value: Any) -> Any:
    """Return a value of another type as one of the declared type, if that does not change it."""
    array = _numbers(name, like, value)
    if array.ndim:
        raise DefinitionError(f"'{name}' has shape {array.shape}, but its declaration says one number")
    return _converted(name, like, array).item()


def _array_check(port: Port) -> AssignmentCheck:
    name, like, shape = port.name, PYTHON_FORMS[port.type], port.shape

    def check(value: Any) -> NDArray[Any]:
        array = _numbers(name, like, value)
        if array.shape != shape:
            raise DefinitionError(f"'{name}' has shape {array.shape}, but its declaration says {shape}")
        return check_array(name, _converted(name, like, array))

    return check


def check_array(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array if all its elements can be sent; it may have been changed in place since it was assigned."""
    if array.dtype == np.float64:
        sound = np.isfinite(array)
    elif array.dtype == np.int64:
        sound = are_integers(array)
    else:
        return array
    if not sound.all():
        place = np.argwhere(~sound)[0]
        index = ",".join(str(i + 1) for i in place)
        raise DefinitionError(f"'{name}[{index}]' is {array[tuple(place)]}")
    return array


def _numbers(name: str, like: Kind, value: Any) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # a list of rows of different lengths
        raise DefinitionError(f"'{name}' is {_shown(value)}, not {like.word}") from None
    if array.dtype.kind not in "biuf":
        raise DefinitionError(f"'{name}' is {_shown(value)}, not {like.word}")
    return array


def _converted(name: str, like: Kind, array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in the declared type; raise `DefinitionError` if a value would change."""
    with np.errstate(invalid="ignore"):
        made = array.astype(like.array)
    if like.array is not np.float64 and not np.array_equal(made, array):
        bad = array if not array.ndim else array[made != array][0]
        raise DefinitionError(f"'{name}' is {bad}, not {like.word}")
    return made


def _shown(value: Any) -> str:
    text = f"{value!r}"
    kind = type(value).__name__
    return text if len(text) <= 40 else f"a {kind}"
