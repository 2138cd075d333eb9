"""The severity of a ride: the RMS of an acceleration."""

from typing import Any

from drawbar.blocks import Continuous, Input, Output, Parameter, State, fmax, if_else, sqrt


class RideMeter(Continuous):
    """The RMS of an acceleration from a given time on, without frequency weighting.

    ::

        a_rms = sqrt(1/(t - t_0) integral from t_0 to t of a^2 dt)

    Until then it is 0. ISO 2631 weights frequencies by human sensitivity; this block does not.
    """

    a = Input("m/s2", "acceleration")
    begin = Parameter(0.0, "s", "t_0, time at which the averaging begins", min=0.0)
    total = State(0.0, "m2/s3", "integral of the squared acceleration")
    rms = Output("m/s2", "RMS acceleration since t_0")

    def derivatives(self) -> dict[str, Any]:
        return {"total": if_else(self.time >= self.begin, self.a**2, 0.0)}

    def outputs(self) -> dict[str, Any]:
        return {"rms": sqrt(fmax(self.total, 1e-18) / fmax(self.time - self.begin, 1e-9))}
