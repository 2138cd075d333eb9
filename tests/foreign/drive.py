"""Steps one FMU by FMPy alone and notes each call on stderr before it is made, and its status after it.

usage: drive.py UNPACKED [VARIABLE=VALUE ...]      10 steps of 0.1 s, u = 1; stdout is left to the FMU
"""

from __future__ import annotations

import ctypes
import sys

import fmpy
from fmpy import fmi2
from fmpy.fmi1 import FMICallException

STEPS, H = 10, 0.1


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(folder: str, *settings: str) -> None:
    description = fmpy.read_model_description(folder)
    variables = {v.name: v for v in description.modelVariables}
    logged = [0, 0]  # messages, bytes

    def logger(_environment: object, _name: bytes, _status: int, category: bytes, message: bytes) -> None:
        logged[0] += 1
        logged[1] += len(message)
        if len(message) < 200:
            note(f"said {category.decode()}: {message.decode()}")

    callbacks = fmi2.fmi2CallbackFunctions()
    callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(logger)
    fmi2.addLoggerProxy(ctypes.byref(callbacks))
    identifier = description.coSimulation.modelIdentifier
    slave = fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=folder, modelIdentifier=identifier, instanceName="driven"
    )
    slave.instantiate(callbacks=callbacks)
    slave.setupExperiment(startTime=0.0)
    for name, _, value in (s.partition("=") for s in ("u=1", *settings)):
        variable = variables[name]
        setter = slave.setReal if variable.type == "Real" else slave.setInteger
        setter([variable.valueReference], [float(value) if variable.type == "Real" else int(value)])
    note("fmi2EnterInitializationMode")
    slave.enterInitializationMode()
    note("fmi2ExitInitializationMode")
    slave.exitInitializationMode()
    u, y = variables["u"].valueReference, variables["y"].valueReference
    end = fmi2.fmi2OK
    for k in range(STEPS):
        try:
            note(f"fmi2SetReal {k * H:.1f}")
            slave.setReal([u], [1.0])
            note(f"fmi2DoStep {k * H:.1f}")
            # not by FMPy's method, which does not tell a warning
            end = slave.dll.fmi2DoStep(slave.component, k * H, H, fmi2.fmi2True)
            note(f"status {end}")
            if end > fmi2.fmi2Warning:
                break
            note(f"fmi2GetReal {k * H:.1f}")
            note(f"y = {slave.getReal([y])[0]}")
        except FMICallException as error:
            end = error.status
            note(f"status {end}")
            break
    if end == fmi2.fmi2Discard:
        note("fmi2GetRealStatus")
        note(f"last successful time {slave.getRealStatus(fmi2.fmi2LastSuccessfulTime):.2f}")
    note(f"logged {logged[0]} messages of {logged[1]} bytes")
    if end <= fmi2.fmi2Discard:
        note("fmi2Terminate")
        slave.terminate()
    if end < fmi2.fmi2Fatal:
        note("fmi2FreeInstance")
        slave.freeInstance()
    note("the end")


if __name__ == "__main__":
    main(*sys.argv[1:])
