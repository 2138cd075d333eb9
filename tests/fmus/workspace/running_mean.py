"""A script for the table of all blocks: the catalogue itself has none."""

import numpy as np

from drawbar.blocks import Input, Local, Output, Parameter, Script


class RunningMean(Script, period=0.05):
    """Mean and deviation of all samples so far."""

    u = Input("m", "signal", min=-5.0, max=5.0)
    pair = Input("1", "two more", size=2)
    whole = Input("1", "a whole number", type=int)
    weight = Parameter(2.0, "1", "of the pair", tunable=True)
    mean = Output("m", "mean so far")
    spread = Output("1", "deviation of the pair", size=2, start=1.0)
    above = Output("1", "above the mean", type=bool)
    count = Output("1", "samples so far", type=int)
    at = Local("s", "time of the last sample")
    seen: list[float] = []

    def start(self) -> None:
        self.pairs: list[object] = []

    def step(self, t: float, dt: float) -> None:
        self.seen.append(self.u)
        self.pairs.append(self.weight * self.pair)
        self.mean = np.mean(self.seen)
        self.spread = np.std(self.pairs, axis=0)
        self.above = self.u > self.mean
        self.count = len(self.seen) + self.whole
        self.at = t
