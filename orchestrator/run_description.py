"""What run.json says about the diagram of a run: the FMUs, their parameters, the coupling, versions and warnings."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from typing import Any

from drawbar.blocks.authoring.script import Script
from drawbar.diagrams.checks.loops import loops
from drawbar.diagrams.checks.notes import notes
from drawbar.diagrams.model.diagram import Diagram
from drawbar.diagrams.model.part import Part
from drawbar.diagrams.ssp.ssp import to_text
from drawbar.fmus.export.script_package import script_guid
from drawbar.fmus.export.sources import sources_of
from drawbar.orchestrator.planning.schedule import Plan
from drawbar.orchestrator.reports.step_oscillation import outputs_in_loops
from drawbar.orchestrator.scenario.scenario import Scenario


def describe_run(
    whole: Diagram, diagram: Diagram, plan: Plan, ticks: int, backend: str, engine: str, scenario: Scenario
) -> dict[str, Any]:
    """Return the entries of run.json about a run of a `diagram`, which is the `whole` one made flat.

    Nothing in them depends on when or where the diagram runs.
    """
    entries = _describe_diagram(whole, diagram, plan, ticks, backend, engine)
    return {"settings": {}, **entries, "notes": notes(whole, scenario.driven()), **scenario.describe()}


def _describe_diagram(
    whole: Diagram, diagram: Diagram, plan: Plan, ticks: int, backend: str, engine: str
) -> dict[str, Any]:
    folder = whole.file.path.parent if whole.file.path is not None else None
    fmus = {name: _identity(part) for name, part in diagram.parts.items()}
    parameters = {name: values for name, part in diagram.parts.items() if (values := dict(part.start_values()))}
    scene = [
        item
        for part in diagram.parts.values()
        if part.block is not None
        for item in part.block.scene(_parameters_of(part))
    ]
    libraries = {name: version(name) for name in ("casadi", "fmpy", "numpy")}
    return {
        "diagram": diagram.name,
        "diagram_sha256": hashlib.sha256(to_text(whole, folder).encode()).hexdigest(),
        "fmus": fmus,
        "own_blocks": [name for name, part in diagram.parts.items() if _is_own(part)],
        "parameters": parameters,
        "step": str(diagram.step),
        "algorithm": diagram.algorithm,
        "other_algorithms": _other_algorithms(diagram),
        "order": plan.order,
        "accuracy_notes": list(plan.accuracy_notes),
        "stop": float(ticks * plan.tick),
        "seed": 0,
        "versions": {"drawbar": version("drawbar"), "python": platform.python_version(), **libraries},
        "backend": backend,
        "engine": engine,
        "scene": scene,
        "scripts_at_every_step": _scripts_at_every_step(diagram, plan),
        # a diagram that passed the check has loops only if it accepts the delay
        "delayed_loops": [" -> ".join(map(str, loop)) for loop in loops(diagram)] if diagram.loops == "delay" else [],
        "outputs_in_loops": outputs_in_loops(diagram),
        **_warned_outputs(diagram),
    }


def _is_own(part: Part) -> bool:
    """Return whether a part is made from a block of the user, not of the library."""
    return part.block is not None and not part.block.__module__.startswith("drawbar.")


def _identity(part: Part) -> str:
    if part.block is None:
        return "sha256:" + hashlib.sha256(part.fmu.read_bytes()).hexdigest()
    if issubclass(part.block, Script):
        return script_guid(part.block)
    return sources_of(part.block).guid


def _parameters_of(part: Part) -> dict[str, Any]:
    """Return all parameters of a part by scalar name: its start values, else those of its interface."""
    known = {
        name: value
        for port in part.interface.of("parameter")
        for name, value in zip(port.scalar_names(), port.start, strict=False)
    }
    return {**known, **part.start_values()}


def _other_algorithms(diagram: Diagram) -> dict[str, str]:
    """Return the algorithms that parts and connections have of their own."""
    parts = {name: part.algorithm for name, part in diagram.parts.items() if part.algorithm}
    return {**parts, **{str(c): c.algorithm for c in diagram.connections if c.algorithm}}


def _scripts_at_every_step(diagram: Diagram, plan: Plan) -> list[str]:
    """Return the scripts for which the master in C enters Python at each tick."""
    always = {part.name for part in plan.parts if part.period_ticks == 1}
    return [n for n, part in diagram.parts.items() if n in always and part.block and issubclass(part.block, Script)]


def _warned_outputs(diagram: Diagram) -> dict[str, Any]:
    """Return the outputs whose blocks warn of unusual values, for the warnings of the report."""
    blocks = {name: part.block for name, part in diagram.parts.items() if part.block is not None}
    found = {
        "warn_if_true": {f"{n}.{o}": why for n, block in blocks.items() for o, why in block.warn_if_true.items()},
        "warn_if_below": {f"{n}.{o}": list(of) for n, block in blocks.items() for o, of in block.warn_if_below.items()},
        "warn_if_multiple": {
            f"{n}.{o}": list(of) for n, block in blocks.items() for o, of in block.warn_if_multiple.items()
        },
    }
    return {key: outputs for key, outputs in found.items() if outputs}
