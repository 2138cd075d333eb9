"""The stop time, which must be a whole number of macro steps."""

from __future__ import annotations

import math
from fractions import Fraction


def exact_stop(seconds: float) -> Fraction:
    """Return the simple fraction that rounds to this number of seconds, or else its decimal digits."""
    simple = Fraction(seconds).limit_denominator(1_000_000)
    return simple if float(simple) == seconds else Fraction(repr(seconds))


def stop_fault(seconds: float, step: Fraction) -> str | None:
    """Return why a run of macro steps cannot end at this time, with the nearest time at which one can; or None."""
    if not (math.isfinite(seconds) and seconds > 0.0):
        return f"stop time {seconds:g} s is not positive and finite"
    stop = exact_stop(seconds)
    return None if (stop / step).denominator == 1 else odd_stop(stop, step)


def odd_stop(stop: Fraction, step: Fraction) -> str:
    """Return the message that a stop time is no whole number of steps."""
    nearest = max(1, round(stop / step)) * step
    return (
        f"stop time {float(stop):g} s is no whole number of steps of {float(step):g} s; "
        f"the nearest is {float(nearest):.12g} s"
    )
