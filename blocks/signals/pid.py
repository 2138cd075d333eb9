"""PID control."""

from typing import Any

from drawbar.blocks import Input, Output, Parameter, Sampled, State, fmax, fmin, if_else, logic_and, logic_not, logic_or


class PID(Sampled, period=0.01):
    """A PID controller in parallel form, sampled every T = 0.01 s.

    With the error e = target - measured and m = measured, sample k gives::

        D_k = (T_f D_(k-1) - K_d (m_k - m_(k-1))) / (T_f + T)      D_0 = 0
        v_k = K_p e_k + I_k + D_k
        command_k = v_k, limited to lower_limit and upper_limit
        I_(k+1) = I_k + T K_i e_k, but I_k where that would drive v_k further beyond the limit that it exceeds

    The law is K_p e + K_i integral(e) - K_d s / (1 + T_f s) m, its integral as a forward difference and its derivative
    as a backward one. The derivative acts on the measured value alone, so a jump of the target causes no derivative
    kick; it is zero in the first sample. Anti-windup is by clamping (conditional integration). Valid where T is well
    below the time constants of the plant, and for lower_limit <= upper_limit; otherwise the command is lower_limit.

    Source: Astrom and Hagglund, PID Controllers: Theory, Design, and Tuning (1995), chapter 3, on windup and on digital
    implementation.
    """

    setpoints = {"target": "measured"}

    target = Input("1", "setpoint")
    measured = Input("1", "measured value")

    proportional = Parameter(1.0, "1", "K_p, proportional gain", tunable=True)
    integral = Parameter(0.0, "1/s", "K_i, integral gain", tunable=True)
    derivative = Parameter(0.0, "s", "K_d, derivative gain on the measured value", tunable=True)
    filter_time = Parameter(0.01, "s", "T_f, time constant of the derivative filter", min=0.0, tunable=True)
    lower_limit = Parameter(-1e9, "1", "lower limit of the command", tunable=True)
    upper_limit = Parameter(1e9, "1", "upper limit of the command", tunable=True)

    total = State(0.0, "1", "I, integral part of the command")
    rate = State(0.0, "1", "D, derivative part of the previous sample")
    last = State(0.0, "1", "measured value of the previous sample")
    begun = State(0.0, "1", "0 before the first sample, then 1")

    command = Output("1", "command within the limits")

    def error(self) -> Any:
        """Return the control error."""
        return self.target - self.measured

    def derivative_part(self) -> Any:
        """Return D of this sample."""
        change = if_else(self.begun, self.measured - self.last, 0.0)
        return (self.filter_time * self.rate - self.derivative * change) / (self.filter_time + self.period)

    def unlimited_command(self) -> Any:
        """Return the command before the limits."""
        return self.proportional * self.error() + self.total + self.derivative_part()

    def outputs(self) -> dict[str, Any]:
        return {"command": fmax(fmin(self.unlimited_command(), self.upper_limit), self.lower_limit)}

    def update(self) -> dict[str, Any]:
        increment = self.period * self.integral * self.error()
        windup = logic_or(
            logic_and(self.unlimited_command() > self.upper_limit, increment > 0.0),
            logic_and(self.unlimited_command() < self.lower_limit, increment < 0.0),
        )
        return {
            "total": self.total + if_else(logic_not(windup), increment, 0.0),
            "rate": self.derivative_part(),
            "last": self.measured,
            "begun": 1.0,
        }
