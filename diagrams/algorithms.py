"""How parts are coupled: the algorithms a diagram, a part or a connection may ask for."""

from __future__ import annotations

from drawbar.blocks.authoring.errors import did_you_mean

ALGORITHMS = ("second-order", "jacobi", "gauss-seidel", "interpolated")
DEFAULT = "second-order"


def algorithm_fault(where: str, name: object) -> str | None:
    """Why there is no such algorithm, or None; `where` opens the message."""
    if name in ALGORITHMS:
        return None
    return f"{where}: algorithm = '{name}'" + did_you_mean(str(name), ALGORITHMS)
