"""The severity of a ride: the RMS of an acceleration."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, if_else, sqrt


class RideMeter(Continuous):
    """The RMS of an acceleration from a given time on, without frequency weighting.

    ::

        a_rms = sqrt(1/T integral from t_0 to t of a^2 dt)        T = integral from t_0 to t of 1 dt

    Until then it is 0. The time T is integrated by the same method as a^2, so that a_rms lies within the values of |a|
    also just after t_0, and where t_0 is inside a micro-step. ISO 2631 weights frequencies by human sensitivity; this
    block does not.
    """

    a = Input("m/s2", "acceleration")
    begin = Parameter(0.0, "s", "t_0, time at which the averaging begins", min=0.0)
    total = State(0.0, "m2/s3", "integral of the squared acceleration")
    elapsed = State(0.0, "s", "T, time of averaging so far")
    rms = Output("m/s2", "RMS acceleration since t_0")

    def derivatives(self) -> dict[str, Any]:
        averaging = self.time >= self.begin
        return {"total": if_else(averaging, self.a**2, 0.0), "elapsed": if_else(averaging, 1.0, 0.0)}

    def outputs(self) -> dict[str, Any]:
        some = self.total > 0.0  # the root has no slope at 0
        mean = if_else(some, self.total / if_else(some, self.elapsed, 1.0), 1.0)
        return {"rms": if_else(some, sqrt(mean), 0.0)}
