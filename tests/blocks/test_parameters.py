"""Every parameter of a block is read by its equations, so none is set for nothing."""

from typing import Any

import casadi as ca
import pytest

from drawbar.blocks import Block, Continuous, Output, Parameter, Sampled
from drawbar.blocks.authoring.registry import block_classes

# the rig has the parameters of the vehicle, so that the same sets fit both, and clamps the chassis and the steering
SHARED = {"HmmwvRig"}
UNREAD = {
    "SimpleBody": {"steer_limit[2]"},  # of the rear axle, which is not steered
    "Pac2002Tire": {"LMX", "LVMX"},  # of the overturning moment, whose coefficients are 0 in the published data
}
OWN = {name: block for name, block in block_classes().items() if block.__module__.startswith("drawbar.blocks.")}
EQUATIONS = [name for name, block in sorted(OWN.items()) if issubclass(block, Continuous | Sampled)]


def read(function: ca.Function) -> set[int]:
    """The places of the parameters that a function depends on."""
    at = function.name_in().index("p")
    return {column for out in range(function.n_out()) for column in function.jac_sparsity(out, at).get_col()}


def unread(block: type[Block]) -> set[str]:
    """The parameters that nothing depends on."""
    m = block.model()
    functions: list[Any] = [m.ode, m.update, m.out, m.derive]
    if m.initialization is not None:
        begin = m.initialization
        functions += [begin.values, begin.residual, begin.guesses, begin.outputs]
    functions += [m.guards and m.guards.sides, m.stability_bounds and m.stability_bounds.bounds]
    there = set().union(*(read(f) for f in functions if f is not None))
    names = [name for port in m.p for name in port.scalar_names()]
    return {name for k, name in enumerate(names) if k not in there}


@pytest.mark.parametrize("name", [name for name in EQUATIONS if name not in SHARED])
def test_every_parameter_is_read(name: str) -> None:
    assert unread(OWN[name]) == UNREAD.get(name, set())


def test_a_parameter_that_is_not_read_is_seen() -> None:
    class Idle(Continuous):
        """A gain."""

        used = Parameter([1.0, 2.0], "1", "of which the first is", size=2)
        idle = Parameter(3.0, "1", "for nothing")
        y = Output("1", "a number")

        def outputs(self) -> dict[str, Any]:
            return {"y": 2.0 * self.used[0]}

    assert unread(Idle) == {"used[2]", "idle"}
