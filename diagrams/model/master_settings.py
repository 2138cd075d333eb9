"""What a diagram asks of the master: the coupling algorithm, and a stop time that is a whole number of macro steps.

============  =============================================================================================
second-order  inputs are sent as extrapolated to the middle of the receiver's step; outputs with direct feedthrough
              are read again after the exchange, where that is allowed
jacobi        all outputs are read right after the step, inputs are held over the next
gauss-seidel  parts step one after the other, and the newest value is sent and held
interpolated  as gauss-seidel, but an input runs linearly over the step; it is extrapolated where its source has not
              stepped yet
============  =============================================================================================

The algorithm of a part governs how its inputs arrive and whether its outputs are read again; the algorithm of a
connection governs only the input at its end.
"""

from __future__ import annotations

import math
from fractions import Fraction

from drawbar.blocks.core.errors import UsageError, did_you_mean

ALGORITHMS = ("second-order", "jacobi", "gauss-seidel", "interpolated")
DEFAULT_ALGORITHM = "second-order"
MAX_EXPONENT_LENGTH = 4  # characters of an exponent in a stop time


def algorithm_fault(where: str, name: object) -> str | None:
    """Return why there is no such algorithm, or None; `where` opens the message."""
    if name in ALGORITHMS:
        return None
    return f"{where}: algorithm = '{name}'" + did_you_mean(str(name), ALGORITHMS)


def read_stop_time(value: float | str | Fraction) -> Fraction:
    """Return a stop time in seconds as a fraction.

    A float is the simple fraction that rounds to it, or else its decimal digits. Raise `UsageError` if the value is not
    a number of seconds.
    """
    try:
        if isinstance(value, str) and len(value.partition("e")[2] or value.partition("E")[2]) > MAX_EXPONENT_LENGTH:
            raise ValueError  # its digits would take too much memory
        return exact_stop_time(value) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise UsageError(f"stop time '{value}' is not a number of seconds") from None


def exact_stop_time(seconds: float) -> Fraction:
    """Return the simple fraction that rounds to this number of seconds, or else its decimal digits."""
    simple = Fraction(seconds).limit_denominator(1_000_000)
    return simple if float(simple) == seconds else Fraction(repr(seconds))


def stop_time_fault(seconds: float, step: Fraction) -> str | None:
    """Return why a run of macro steps cannot end at this time, with the nearest time at which one can; or None."""
    if not (math.isfinite(seconds) and seconds > 0.0):
        return f"stop time {seconds:g} s is not positive and finite"
    stop = exact_stop_time(seconds)
    return None if (stop / step).denominator == 1 else stop_time_message(stop, step)


def stop_time_message(stop: Fraction, step: Fraction) -> str:
    """Return the message that a stop time is no whole number of steps."""
    nearest = max(1, round(stop / step)) * step
    return (
        f"stop time {float(stop):g} s is no whole number of steps of {float(step):g} s; "
        f"the nearest is {float(nearest):.12g} s"
    )
