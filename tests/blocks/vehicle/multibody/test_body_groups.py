"""Bodies that move as one have the mass, centre and inertia of the whole."""

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np

from drawbar.blocks.vehicle.hmmwv.hmmwv_mechanism import rotors
from drawbar.blocks.vehicle.multibody.body_groups import BodyGroups, MassProperties, MovingBody, combined, composite
from drawbar.blocks.vehicle.multibody.embedded import Embedded
from drawbar.blocks.vehicle.multibody.mechanism import Body, Mechanism
from drawbar.blocks.vehicle.multibody.spatial import Pose, cross_force, inertia, rotated, rotation

Made = Mapping[str, Callable[..., Mechanism]]
RNG = np.random.default_rng(4)


def some_body(name: str = "a") -> Body:
    A = RNG.normal(size=(3, 3))
    return Body(name, None, "fix", RNG.uniform(1, 5), RNG.normal(size=3), A @ A.T)


def test_two_rods_end_to_end_are_one_of_double_length() -> None:
    """Slender rods of 1 kg and 1 m along x: 1/12 each, 8/12 together."""
    slim = np.diag([0, 1 / 12, 1 / 12])
    whole = combined([Body("a", None, "fix", 1.0, (0.5, 0, 0), slim), Body("b", None, "fix", 1.0, (1.5, 0, 0), slim)])
    assert float(whole.mass) == 2.0
    np.testing.assert_allclose(ca.DM(whole.com).full().ravel(), [1, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(ca.DM(whole.inertia).full(), np.diag([0, 8 / 12, 8 / 12]), rtol=0, atol=1e-15)


def test_the_inertia_of_the_whole_is_the_sum_of_its_parts_about_one_origin() -> None:
    bodies = [some_body(n) for n in "abc"]
    whole = combined(bodies)
    parts = sum(inertia(b.mass, b.com, b.inertia).full() for b in bodies)
    np.testing.assert_allclose(inertia(whole.mass, whole.com, whole.inertia).full(), parts, rtol=1e-13, atol=1e-13)


def test_a_rigid_body_moves_as_its_spatial_inertia_says() -> None:
    """``times`` is M J and ``wrench`` is M a + V x* M V, which it finds about the centre of mass."""
    body = some_body()
    pose = Pose(rotation(ca.DM([0.6, 0, 0.8]), 0.7), ca.DM(RNG.normal(size=3)))
    V, a, J = (ca.DM(RNG.normal(size=s)) for s in (6, 6, (6, 2)))
    rigid = MovingBody(MassProperties(body.mass, body.com, body.inertia), pose, V, a)
    M = inertia(body.mass, pose.at(body.com), rotated(pose.R, body.inertia))
    close = {"rtol": 1e-13, "atol": 1e-12}
    np.testing.assert_allclose(np.tril(ca.DM(composite([rigid])).full()), np.tril(M.full()), **close)
    np.testing.assert_allclose(np.tril(ca.DM(composite([rigid, rigid])).full()), np.tril(2 * M.full()), **close)
    np.testing.assert_allclose(ca.DM(rigid.times(J)).full(), (M @ J).full(), **close)
    np.testing.assert_allclose(ca.DM(rigid.wrench).full(), (M @ a + cross_force(V, M @ V)).full(), **close)


def test_wheels_and_welded_bodies_are_carried_by_their_leaders(mechanisms: Made) -> None:
    m = mechanisms["hmmwv"]()
    e = Embedded(m, rotors(detailed=True))
    c = e.configuration({n: ca.SX.sym(n) for n in e.joints}, ca.SX.sym("u", len(e.rates)))
    groups = BodyGroups(m, c.compounds)
    assert groups.leader["tire_fl"] == groups.leader["rim_fl"] == groups.leader["spindle_fl"] == "spindle_fl"
    assert {"spindle_fl", "rim_fl", "tire_fl"}.isdisjoint(groups.names)
    masses = [float(groups.mass_properties(n).mass) for n in groups.names]
    assert sum(masses) == sum(float(b.mass) for b in m.bodies)
    upright = float(groups.mass_properties("upright_fl").mass)
    assert upright == sum(float(m.by_name[f"{n}_fl"].mass) for n in ("upright", "spindle", "rim", "tire"))
    (wheel,) = (k for k in c.compounds if "tire_fl" in k.kinematics)
    spin = sum(float(m.by_name[n].inertia[1, 1]) for n in wheel.kinematics)
    assert abs(float(groups.about_axis(wheel)) - spin) < 1e-14
