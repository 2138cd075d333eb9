"""What ``drawbar run --check`` prints beside the run: error bars, latency around loops, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawbar.diagrams.model.diagram import Diagram
from drawbar.orchestrator.reports import convergence, latency
from drawbar.orchestrator.runs.run import Run


@dataclass
class StepCheck:
    """The run beside the same run at half the macro step: error bars, latency around loops, and costs of the parts."""

    run: Run
    half: Run

    def text(self, diagram: Diagram) -> str:
        """Return the check as text."""
        order = self.run.info["order"]
        bars = convergence.error_bars(self.run, self.half, order)
        head = (
            f"error that the coupling adds, from a second run at half the macro step (order {order} in the step;\n"
            "what parts integrate inside them is not in it):"
        )
        late = latency.latencies(diagram)
        parts = [f"\n{head}\n{convergence.table(bars)}"]
        if late:
            parts.append(f"\nhow late a signal is that has gone around a loop:\n{latency.table(late)}")
        parts.append(f"\nwhat the parts cost, from one step in 256:\n{self._costs()}")
        return "\n".join(parts)

    def to_json(self, diagram: Diagram) -> dict[str, Any]:
        """Return the check for JSON."""
        return {
            "errors": convergence.to_json(convergence.error_bars(self.run, self.half, self.run.info["order"])),
            "loops": latency.to_json(latency.latencies(diagram)),
            "half_step_run": str(self.half.folder),
        }

    def _costs(self) -> str:
        parts = self.run.timing["parts"]
        whole = sum(p["steps"] * p["us_per_step"] for p in parts.values())
        width = max(map(len, parts), default=0)
        return "\n".join(
            f"  {name:{width}}  {p['steps']:>9} steps  {p['us_per_step']:>9.3g} us  "
            f"{100 * p['steps'] * p['us_per_step'] / max(whole, 1e-30):5.1f} %"
            for name, p in sorted(parts.items(), key=lambda item: -item[1]["steps"] * item[1]["us_per_step"])
        )
