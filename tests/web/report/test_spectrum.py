"""Power spectral densities: place of a tone, power by Parseval's theorem, what has none."""

import numpy as np
import pytest

from drawbar.orchestrator.runs.run import Run
from drawbar.web.report.charts import select_charts
from drawbar.web.report.figures import Figures
from drawbar.web.report.spectrum import power_spectral_density


def test_a_tone_has_its_frequency_and_its_power():
    t = np.arange(20_000) * 1e-3
    frequency, density = power_spectral_density(5.0 + 3.0 * np.sin(2 * np.pi * 12.0 * t), 1e-3)
    assert frequency[density.argmax()] == pytest.approx(12.0, abs=frequency[0])
    assert density.sum() * frequency[0] == pytest.approx(4.5, rel=1e-3), "half the square of the amplitude"


def test_too_few_or_missing_samples_have_no_spectrum():
    assert power_spectral_density(np.zeros(15), 0.1) is None
    assert power_spectral_density(np.full(100, np.nan), 0.1) is None


def test_the_figure_has_a_curve_of_each_signal_on_logarithmic_axes(lane_change):
    run = Run(lane_change())
    (fig,) = Figures(run, select_charts(run, ["vehicle.a_y"], spectrum=True).charts).figures
    (line,) = fig.renderers
    for signal, unit in (("vehicle.wheel_load[1]", "N²/Hz"), ("driver.gear", "1/Hz"), ("vehicle.steer", "°²/Hz")):
        (other,) = Figures(run, select_charts(run, [signal], spectrum=True).charts).figures
        assert other.yaxis[0].axis_label == f"density [{unit}]"
    assert (fig.xaxis[0].axis_label, fig.yaxis[0].axis_label) == ("frequency [Hz]", "density [(m/s²)²/Hz]")
    frequency, density = power_spectral_density(run["vehicle.a_y"], 0.01)
    np.testing.assert_array_equal(line.data_source.data["f"], frequency)
    np.testing.assert_array_equal(line.data_source.data["p"], density)
