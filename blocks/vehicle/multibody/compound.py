"""Compound bodies at one moment: where their bodies are, and how they move with the independent rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drawbar.blocks.vehicle.multibody.nodes import Node
from drawbar.blocks.vehicle.multibody.spatial import Matrix, Pose


@dataclass(frozen=True)
class Placed:
    """A body of a node: its pose in the base frame, and J and c of the equations of `embedding`."""

    pose: Pose
    J: Matrix
    c: Matrix


@dataclass(frozen=True)
class Compound:
    """A node with its bodies placed and its rates u.

    `rotor` says that it is one body on a hinge through its centre of mass about an axis of symmetry, such as a wheel.
    Then its parent carries it like a part of its own without inertia about the axis, and the angular momentum h about
    the axis n is apart: ``h' = tau + n.m`` with the outer moment m, and ``-n h' - omega x n h`` acts on the parent.
    """

    node: Node
    placed: Mapping[str, Placed]
    u: Matrix
    rotor: bool = False
