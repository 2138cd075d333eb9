"""FMPy drives body and wheels of the HMMWV, connected by hand as its documentation shows, as the master does."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.fmi2 import FMU2Slave

from drawbar.blocks.authoring.block import Block
from drawbar.blocks.tires.fiala_tire import FialaTire
from drawbar.blocks.vehicle.hmmwv.hmmwv_body import HmmwvBody
from drawbar.diagrams import Diagram
from drawbar.fmus.export.package import build
from drawbar.orchestrator.simulate import simulate

pytestmark = pytest.mark.compiler
WHEELS = ("fl", "fr", "rl", "rr")
TO_WHEEL = [f"{m}[{i}]" for m in ("position", "velocity", "omega") for i in (1, 2, 3)]
TO_WHEEL += [f"rotation[{i},{k}]" for i in (1, 2, 3) for k in (1, 2, 3)]
TO_BODY = [f"{m}[{i}]" for m in ("force", "moment") for i in (1, 2, 3)] + ["spin"]
STANCE = ["radius", "stiffness", *[f"{m}[{i}]" for m in ("point", "normal") for i in (1, 2, 3)]]
SPEED, DRIVE, STEER, H, STEPS = 12.0, 250.0, 0.8, 2e-3, 200


class Fmu:
    """An FMU in FMPy, with its variables by name."""

    def __init__(self, block: type[Block], name: str, starts: dict[str, float]) -> None:
        fmu = str(build(block))
        description = fmpy.read_model_description(fmu)
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.folder = fmpy.extract(fmu)
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.set(starts)
        self.slave.enterInitializationMode()

    def get(self, names: list[str]) -> list[float]:
        found: list[float] = self.slave.getReal([self.references[n] for n in names])
        return found

    def set(self, values: dict[str, float]) -> None:
        self.slave.setReal([self.references[n] for n in values], list(values.values()))

    def close(self) -> None:
        self.slave.terminate()
        self.slave.freeInstance()
        shutil.rmtree(self.folder)


@pytest.fixture
def fmus() -> Iterator[tuple[Fmu, list[Fmu]]]:
    drives = {f"drive[{i}]": DRIVE for i in range(1, 5)}
    body = Fmu(HmmwvBody, "body", {"speed": SPEED, "steering_wheel": STEER, **drives})
    wheels = [Fmu(FialaTire, w, {"drive": DRIVE}) for w in WHEELS]
    yield body, wheels
    for fmu in (body, *wheels):
        fmu.close()


def hand(source: Fmu, target: Fmu, names: list[str], before: str, after: str) -> None:
    values = source.get([f"{before}.{n}" for n in names])
    target.set({f"{after}.{n}": v for n, v in zip(names, values, strict=True)})


def master(folder: Path) -> dict[str, Any]:
    """The same in a diagram, under Jacobi's algorithm, which is the loop below."""
    d = Diagram("by_hand", step=str(H), stop=H * STEPS, algorithm="jacobi")
    drives = {f"drive[{i}]": DRIVE for i in range(1, 5)}
    body = d.add("body", HmmwvBody, speed=SPEED, steering_wheel=STEER, **drives)
    for w in WHEELS:
        d.connect(getattr(body, f"hub_{w}"), d.add(w, FialaTire, drive=DRIVE).hub)
    run = simulate(d, out=folder / "run")
    return {name: run[name][-1] for name in ("body.position", "body.roll", "fl.load", "rr.force_y")}


def test_fmpy_runs_body_and_wheels_together_by_hand(fmus: tuple[Fmu, list[Fmu]], tmp_path: Path) -> None:
    body, wheels = fmus
    # in order: where the ground is asked for, what a wheel stands like, and how a hub moves in the equilibrium
    for w, wheel in zip(WHEELS, wheels, strict=True):
        hand(body, wheel, ["at[1]", "at[2]"], f"hub_{w}", "hub")
        hand(wheel, body, STANCE, "hub", f"hub_{w}")
    for w, wheel in zip(WHEELS, wheels, strict=True):
        hand(body, wheel, TO_WHEEL, f"hub_{w}", "hub")
        hand(wheel, body, TO_BODY, "hub", f"hub_{w}")
    for fmu in (body, *wheels):
        fmu.slave.exitInitializationMode()
    for k in range(STEPS):
        motions = [body.get([f"hub_{w}.{n}" for n in TO_WHEEL]) for w in WHEELS]
        backs = [wheel.get([f"hub.{n}" for n in TO_BODY]) for wheel in wheels]
        for w, wheel, motion, back in zip(WHEELS, wheels, motions, backs, strict=True):
            wheel.set({f"hub.{n}": v for n, v in zip(TO_WHEEL, motion, strict=True)})
            body.set({f"hub_{w}.{n}": v for n, v in zip(TO_BODY, back, strict=True)})
        for fmu in (body, *wheels):
            fmu.slave.doStep(currentCommunicationPoint=k * H, communicationStepSize=H)
    expected = master(tmp_path)
    assert body.get([f"position[{i}]" for i in (1, 2, 3)]) == pytest.approx(expected["body.position"], rel=1e-12)
    assert body.get(["roll"])[0] == pytest.approx(expected["body.roll"], rel=1e-10)
    assert wheels[0].get(["load"])[0] == pytest.approx(expected["fl.load"], rel=1e-10)
    assert wheels[3].get(["force_y"])[0] == pytest.approx(expected["rr.force_y"], rel=1e-9)
    assert abs(body.get(["roll"])[0]) > 1e-3, "it does turn"
