"""The coupling algorithms that a diagram, a part or a connection may ask for.

============  =============================================================================================
second-order  inputs are sent as extrapolated to the middle of the receiver's step; outputs with direct feedthrough
              are read again after the exchange, where that is allowed
jacobi        all outputs are read right after the step, inputs are held over the next
gauss-seidel  parts step one after the other, and the newest value is sent and held
interpolated  as gauss-seidel, but an input runs linearly over the step; it is extrapolated where its source has not
              stepped yet
============  =============================================================================================

The algorithm of a part governs how its inputs arrive and whether its outputs are read again; the algorithm of a
connection governs only the input at its end.
"""

from __future__ import annotations

from drawbar.blocks.core.errors import did_you_mean

ALGORITHMS = ("second-order", "jacobi", "gauss-seidel", "interpolated")
DEFAULT = "second-order"


def algorithm_fault(where: str, name: object) -> str | None:
    """Return why there is no such algorithm, or None; `where` opens the message."""
    if name in ALGORITHMS:
        return None
    return f"{where}: algorithm = '{name}'" + did_you_mean(str(name), ALGORITHMS)
