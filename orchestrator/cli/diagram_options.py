"""The diagram of ``drawbar run`` as its options make it: other blocks, parameter sets, parameters and start values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drawbar.blocks.authoring.registry import find_block
from drawbar.blocks.core.errors import DiagramError, DrawbarError, UsageError, did_you_mean
from drawbar.blocks.core.interface import Value
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.parameter_bindings import bind
from drawbar.diagrams.model.start_values import values_of
from drawbar.diagrams.parameters.presets import find_set
from drawbar.diagrams.ssp.ssp import read
from drawbar.orchestrator.cli.setpoints import find_setpoints, follow
from drawbar.orchestrator.scenario.changes import given_value


@dataclass(frozen=True)
class DiagramOptions:
    """The file of a diagram, and what ``--use``, ``--params`` and ``--set`` change in it, in this order.

    The settings of a case of the report win over those of the user; two of the user's own must not contradict.
    """

    path: Path
    uses: Sequence[str] = ()
    params: Sequence[str] = ()
    settings: Sequence[str] = ()
    case_settings: Sequence[str] = ()

    def with_case(self, case: Mapping[str, Any]) -> DiagramOptions:
        """Return the options with the parameter sets and settings of a case of the report, which win over these."""
        settings = [f"{name}={json.dumps(value)}" for name, value in case["set"].items()]
        return replace(
            self,
            params=[*self.params, *map(str, case.get("params", []))],
            case_settings=settings,
        )

    def read(self) -> Diagram:
        """Return the diagram with all changes; raise a `DrawbarError` that names the option at fault."""
        return self._read_with_notes()[0]

    def notes(self) -> list[str]:
        """Return the notes on changed initial values that a controller has a setpoint for."""
        return self._read_with_notes()[1] if self.params or self.settings or self.case_settings else []

    def _read_with_notes(self) -> tuple[Diagram, list[str]]:
        diagram = read(self.path)
        uses: dict[str, tuple[object, str]] = {}
        for given in self.uses:
            part = diagram.parts[_replace_block(diagram, given)]
            new = part.block if part.block is not None else part.fmu
            other, earlier = uses.setdefault(part.name, (new, given))
            if other != new:
                raise UsageError(f"--use {earlier} and --use {given} give one part two blocks; leave one out")
        before = {setpoint: setpoint.values(diagram) for setpoint in find_setpoints(diagram)}
        for given in self.params:
            self._bind_set(diagram, given)
        chosen: dict[str, tuple[Value, str]] = {}
        for given in self.settings:
            for name, value in _set_value(diagram, given).items():
                other, setting = chosen.setdefault(name, (value, given))
                if other != value:
                    raise UsageError(
                        f"--set {setting} and --set {given} set {name} to {other} and to {value}; leave one out"
                    )
        for given in self.case_settings:
            _set_value(diagram, given)
        return diagram, follow(diagram, before)

    def describe(self) -> dict[str, Any]:
        """Return the entries of run.json about the options; files are named by name and content, not by their place."""
        entries: dict[str, Any] = {"setting_notes": notes} if (notes := self.notes()) else {}
        entries |= {"settings": dict(one.split("=", 1) for one in (*self.settings, *self.case_settings))}
        if self.params:
            entries["parameter_sets"] = [self._describe_set(given) for given in self.params]
        if self.uses:
            entries["replaced_blocks"] = dict(map(_describe_use, self.uses))
        return entries

    def _bind_set(self, diagram: Diagram, given: str) -> None:
        file, part = self._find_set(given)
        names = [element.name for element in diagram.elements]
        if part and part.partition(".")[0] not in names:
            raise UsageError(f"--params {given}: there is no part '{part}'" + did_you_mean(part, names))
        try:
            bind(diagram, file, prefix=f"{part}." if part else "", written=False)
        except DiagramError as error:
            if not file.is_file():
                raise UsageError(f"--params {given}: {error}") from None
            raise DiagramError([f"--params {given}: {fault}" for fault in error.faults]) from None

    def _find_set(self, given: str) -> tuple[Path, str]:
        """Return the file that ``--params [PART=]FILE`` means, and its part, which is empty without ``PART=``."""
        part, equals, name = given.partition("=")
        if not equals or not part.replace(".", "").isidentifier():
            part, name = "", given
        try:
            return find_set(name, self.path.parent), part
        except UsageError as error:
            raise UsageError(f"--params {given}: {error}") from None

    def _describe_set(self, given: str) -> dict[str, str]:
        file, part = self._find_set(given)
        return _content(file) | ({"part": part} if part else {})


def _replace_block(diagram: Diagram, given: str) -> str:
    """Apply ``part=Block``, a block by its class name or reference, or the path of an FMU; return the part's name."""
    part, equals, block = (word.strip() for word in given.partition("="))
    if not (part and equals and block):
        raise UsageError(f"--use {given}: write it as part=Block, for instance wheel_fl=FialaTire")
    try:
        diagram.use(part, block if block.endswith(".fmu") else find_block(block))
    except DrawbarError as error:
        raise UsageError(f"--use {given}: {error}") from None
    return part


def _describe_use(given: str) -> tuple[str, str | dict[str, str]]:
    """Return a part, and its replacement: the name of a block, or the name and content of an FMU."""
    part, _, block = (word.strip() for word in given.partition("="))
    return part, _content(Path(block)) if block.endswith(".fmu") else block


def _content(file: Path) -> dict[str, str]:
    return {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def _set_value(diagram: Diagram, setting: str) -> dict[str, Value]:
    """Apply ``part.name=value`` and return the values by ``part.scalar``.

    Raise `UsageError` with the name that does not exist and the nearest one.
    """
    target, equals, text = setting.partition("=")
    part_name, dot, name = target.strip().partition(".")
    if not equals or not dot or not name:
        raise UsageError(f"--set {setting}: write it as part.parameter=value, for instance vehicle.u=15")
    part = diagram.parts.get(part_name)
    if part is None:
        raise UsageError(f"--set {setting}: there is no part '{part_name}'" + did_you_mean(part_name, diagram.parts))
    if part.fault:
        raise DiagramError(part.fault)
    try:
        value = given_value(part, name, text)
        scalars = values_of(part, name, value)
        part.overrides[name] = value
        return {f"{part_name}.{scalar}": one for scalar, one in scalars.items()}
    except OverflowError:
        raise UsageError(f"--set {setting[:60]}: the number is too large") from None
    except DrawbarError as error:
        raise UsageError(f"--set {setting}: {error}") from None
