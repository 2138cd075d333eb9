"""An instance of a foreign FMU by FMPy alone."""

import ctypes
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave, addLoggerProxy, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE


def unpack(fmu: Path, folder: Path) -> str:
    """A folder for each content: a library that is loaded must not be written over."""
    target = folder / hashlib.sha256(fmu.read_bytes()).hexdigest()[:16]
    return str(target if target.is_dir() else extract(str(fmu), str(target)))


class Live:
    """An instance by FMPy, variables by name."""

    def __init__(self, fmu: Path, folder: Path, **starts: float) -> None:
        description = read_model_description(str(fmu))
        self.variables = {v.name: v for v in description.modelVariables}
        self.said: list[str] = []
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=unpack(fmu, folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="live",
        )
        self.callbacks = fmi2CallbackFunctions()
        self.callbacks.logger = fmi2CallbackLoggerTYPE(lambda e, n, s, c, message: self.said.append(message.decode()))
        addLoggerProxy(ctypes.byref(self.callbacks))  # which fills in what stands for %s
        self.slave.instantiate(callbacks=self.callbacks)
        self.alive = True
        self.slave.setupExperiment(startTime=0.0)
        self.set(**starts)
        self.slave.enterInitializationMode()

    def start(self) -> "Live":
        self.slave.exitInitializationMode()
        return self

    def reference(self, name: str) -> list[int]:
        return [self.variables[name].valueReference]

    def set(self, **values: float) -> None:
        for name, value in values.items():
            real = self.variables[name].type == "Real"
            (self.slave.setReal if real else self.slave.setInteger)(self.reference(name), [value])

    def __getitem__(self, name: str) -> float:
        real = self.variables[name].type == "Real"
        return float((self.slave.getReal if real else self.slave.getInteger)(self.reference(name))[0])

    def step(self, t: float, h: float) -> None:
        self.slave.doStep(t, h)

    def derivative(self, **values: float) -> None:
        for name, value in values.items():
            self.slave.setRealInputDerivatives(self.reference(name), [1], [value])

    def partial(self, output: str, by: str) -> float:
        return float(self.slave.getDirectionalDerivative(self.reference(output), self.reference(by), [1.0])[0])

    def close(self) -> None:
        if self.alive:
            self.slave.freeInstance()
        self.alive = False


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Callable[..., Live]]:
    """Opens instances and frees them."""
    opened: list[Live] = []

    def opening(fmu: Path, **starts: float) -> Live:
        opened.append(Live(fmu, tmp_path, **starts))
        return opened[-1]

    yield opening
    for one in opened:
        one.close()
