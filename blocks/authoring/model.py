"""A checked block as the other packages see it: its ports, and its equations as CasADi functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from drawbar.blocks.authoring.c_source import CSource
from drawbar.blocks.authoring.guards import Guards
from drawbar.blocks.authoring.initialization import Initialization
from drawbar.blocks.authoring.stability_bounds import StabilityBounds
from drawbar.blocks.core.interface import Interface, Port


@dataclass(frozen=True)
class Equations:
    """The equations of a block as functions of ``(t, x, z, u, p)``; None where the result would be empty."""

    ode: ca.Function | None = None
    update: ca.Function | None = None
    out: ca.Function | None = None
    derive: ca.Function | None = None
    initialization: Initialization | None = None
    guards: Guards | None = None
    stability_bounds: StabilityBounds | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """A checked block: its ports in the order of the flat value array, and its equations, which are traced when needed.

    The value array of an instance is ``p | u | x | z | y``: parameters, inputs, continuous states, discrete states,
    then outputs and locals. The FMI value reference is the index in it. A kernel block and a script have no equations:
    `c` holds the functions of a kernel block in C. The last ports of `p` are calculated from those before them, by
    `derive`.
    """

    name: str
    interface: Interface
    p: tuple[Port, ...]
    u: tuple[Port, ...]
    x: tuple[Port, ...]
    z: tuple[Port, ...]
    y: tuple[Port, ...]
    method: str
    step: Fraction
    period: Fraction | None
    c: CSource | None = None
    is_script: bool = False  # its law is Python
    trace: Callable[[], Equations] = Equations

    @cached_property
    def equations(self) -> Equations:
        """The equations as CasADi functions."""
        return self.trace()

    @property
    def ode(self) -> ca.Function | None:
        """dx/dt."""
        return self.equations.ode

    @property
    def update(self) -> ca.Function | None:
        """The next z."""
        return self.equations.update

    @property
    def out(self) -> ca.Function | None:
        """Outputs and locals, y."""
        return self.equations.out

    @property
    def derive(self) -> ca.Function | None:
        """Calculated parameters."""
        return self.equations.derive

    @property
    def initialization(self) -> Initialization | None:
        """How states get their start values, if not from their declarations alone."""
        return self.equations.initialization

    @property
    def guards(self) -> Guards | None:
        """The conditions under which the equations hold."""
        return self.equations.guards

    @property
    def stability_bounds(self) -> StabilityBounds | None:
        """Bounds of the eigenvalues."""
        return self.equations.stability_bounds

    @property
    def ports(self) -> tuple[Port, ...]:
        """All ports in the order of the value array."""
        return self.p + self.u + self.x + self.z + self.y

    def with_capabilities(
        self, *, sampled: bool, integrates: bool, fresh_read: bool, interpolates: bool, directional: bool = False
    ) -> Model:
        """Return the same block with the capabilities that a master may use; the fields are those of `Interface`."""
        interface = replace(
            self.interface,
            sampled=sampled,
            integrates=integrates,
            fresh_read=fresh_read,
            interpolates=interpolates,
            directional=directional,
        )
        return replace(self, interface=interface)

    def sizes(self) -> tuple[int, int, int, int, int]:
        """Return the number of scalars in p, u, x, z and y."""
        counts = [sum(port.size for port in group) for group in (self.p, self.u, self.x, self.z, self.y)]
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    def follows_solution(self) -> list[int]:
        """Return 1 for each value, then each dx/dt, whose initial value depends on solved states, else 0."""
        solved = () if self.initialization is None else self.initialization.solved
        np_, nu, nx, nz, ny = self.sizes()
        states, results, rates = [int(i in solved) for i in range(nx + nz)], [0] * ny, [0] * nx
        for function, found in ((self.out, results), (self.ode, rates)):
            if function is not None and solved:
                rows, columns = function.jac_sparsity(0, 1).get_triplet()
                for row, column in zip(rows, columns, strict=True):
                    found[row] |= states[column]
        for place in () if self.initialization is None else self.initialization.shown:
            results[place] = 0
        return [0] * (np_ + nu) + states + results + rates

    def nominals(self) -> list[float]:
        """Return the magnitude of the nominal value of each continuous state, 1 where none is declared."""
        return [abs(float(port.nominal or 0.0)) or 1.0 for port in self.x for _ in range(port.size)]

    def start(self) -> NDArray[np.float64]:
        """Return the value array with the start values; calculated elements are zero."""
        return np.concatenate([np.zeros(0)] + [np.asarray(p.start or (0.0,) * p.size, float) for p in self.ports])
