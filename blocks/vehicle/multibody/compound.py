"""The state of compound bodies: where their bodies are, and how they move with the independent rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drawbar.blocks.vehicle.multibody.nodes import Node
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose


@dataclass(frozen=True)
class Placed:
    """A body of a node: its pose in the base frame, and J and c in the equations of `embedding`."""

    pose: Pose
    J: Matrix
    c: Matrix


@dataclass(frozen=True)
class Compound:
    """A node with the poses of its bodies and its rates u.

    `rotor` marks a single body on a hinge through its centre of mass about an axis of symmetry, such as a wheel. Its
    parent then carries it like a part of its own that has no inertia about the axis, and the angular momentum h about
    the axis n is treated separately: ``h' = tau + n.m`` with the external moment m, while ``-n h' - omega x n h`` acts
    on the parent.
    """

    node: Node
    placed: Mapping[str, Placed]
    u: Matrix
    rotor: bool = False
