"""Another importer of model exchange, that of CasADi: it asks by value references and differentiates by FMI calls."""

import casadi as ca
import numpy as np
import pytest

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.signals.state_space import StateSpace
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.bodies.single_track import SingleTrack
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.blocks.vehicle.hmmwv.hmmwv_vehicle import HmmwvVehicle
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize(
    ("block", "x", "u"),
    [(StateSpace, [0.5, -0.25], [2.0]), (SingleTrack, [0.0, 0.0, 0.1, 12.0, 0.2, 0.05], [0.03, 0.4])],
)
def test_equations_and_jacobians_are_those_of_the_block(block: type[Block], x: list[float], u: list[float]) -> None:
    model = block.model()
    importer = ca.DaeBuilder("fmu", str(read_description(build(block)).folder))
    outputs = [n for port in model.interface.of("output") for n in port.scalar_names()]
    assert importer.x() == [n for port in model.x for n in port.scalar_names()]
    assert importer.u() == [n for port in model.u for n in port.scalar_names()]
    assert importer.y() == outputs
    theirs = importer.create("f", ["x", "u"], ["ode", "y"])
    jacobian = theirs.factory("J", ["x", "u"], ["jac:ode:x", "jac:ode:u", "jac:y:x", "jac:y:u"])

    assert model.ode is not None
    assert model.out is not None
    t, states, z, inputs, p = model.ode.sx_in()
    results = {n: row for n, row in zip(importer.x(), ca.vertsplit(states), strict=True)}
    names = [n for port in model.y for n in port.scalar_names()]
    results |= dict(zip(names, ca.vertsplit(model.out(t, states, z, inputs, p)), strict=True))
    rates, values = model.ode(t, states, z, inputs, p), ca.vertcat(*[results[n] for n in outputs])
    pairs = [ca.jacobian(unknown, known) for unknown in (rates, values) for known in (states, inputs)]
    ours = ca.Function("ours", [t, states, z, inputs, p], [rates, values, *pairs])
    parameters = model.start()[: sum(port.size for port in model.p)]
    wanted = ours(0.0, x, [], u, parameters)
    for found, exact in zip((*theirs(x, u), *jacobian(x, u)), wanted, strict=True):
        np.testing.assert_allclose(np.array(found), np.array(exact), rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(
    ("block", "start"),
    [
        (HmmwvVehicle, {"speed": 10.0}),
        (HmmwvBody, {"speed": 10.0}),
        (FialaTire, {"hub.position[3]": 0.45, "hub.velocity[1]": 10.0, "drive": 300.0}),
    ],
)
def test_the_hmmwv_has_the_rates_and_outputs_of_the_block(block: type[Block], start: dict[str, float]) -> None:
    """Where it stands at its start; whole numbers, as the code of a surface, are no inputs to that importer."""
    model = block.model()
    importer = ca.DaeBuilder("fmu", str(read_description(build(block)).folder))
    instance = native_instance(block, "start")
    instance.initialize(0.0, start)
    instance.start()
    names = [[n for port in group for n in port.scalar_names()] for group in (model.x, model.u, model.p)]
    outputs = [n for port in model.interface.of("output") for n in port.scalar_names()]
    x, u, p = (instance.get(group) for group in names)
    wanted = instance.get(outputs)
    given = instance.get(importer.u())
    instance.close()
    rates, values = importer.create("f", ["x", "u"], ["ode", "y"])(x, given)
    assert importer.x() == names[0]
    assert importer.y() == outputs
    assert model.ode is not None
    exact = np.array(model.ode(0.0, x, [], u, p)).ravel()
    np.testing.assert_allclose(np.array(rates).ravel(), exact, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(np.array(values).ravel(), wanted, rtol=1e-12, atol=1e-9)
    assert np.abs(exact).max() > 5.0
