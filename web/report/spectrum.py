"""The power spectral density of a signal, after Welch (IEEE Trans. Audio Electroacoustics 15, 1967)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MIN_SAMPLES = 16
SEGMENTS = 8  # into which a record is divided; they overlap by half


def power_spectral_density(
    values: NDArray[np.float64], period: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return frequencies in Hz and the one-sided density in unit^2/Hz; None for too few finite samples.

    Hann windows over overlapping segments, each without its mean. What is slower than a segment is not in it.
    """
    if len(values) < MIN_SAMPLES or not np.isfinite(values).all():
        return None
    from scipy.signal import welch  # the import is slow

    length = max(MIN_SAMPLES, 2 * len(values) // (SEGMENTS + 1))
    frequency, density = welch(values, 1.0 / period, nperseg=length, detrend="constant")
    return frequency[1:], density[1:]
