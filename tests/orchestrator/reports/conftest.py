from fractions import Fraction

import numpy as np
import pytest

from drawbar.orchestrator.runs.recorder import Column, Rate, Recorder
from drawbar.orchestrator.runs.run import Run

COLUMNS = (Column("car.load[1]", "N"), Column("car.load[2]", "N"), Column("car.a_y", "m/s2"), Column("car.bad", "1"))
VALUES = [
    [0.0, 2000.0, 4000.0, np.nan, 0.0],
    [0.1, 3000.0, 4400.0, 4.9, np.nan],
    [0.2, 1200.0, 3600.0, -2.5, np.nan],
    [0.3, 2000.0, np.inf, 0.0, 1.0],
]


@pytest.fixture
def run(tmp_path):
    """A run of a car with values that are not finite."""
    recorder = Recorder(tmp_path / "run", {}, [Rate(Fraction(1, 10), COLUMNS)])
    recorder.write(0, np.array(VALUES))
    recorder.finish("ok")
    return Run(tmp_path / "run")
