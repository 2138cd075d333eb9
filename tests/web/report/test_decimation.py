import numpy as np
import pytest

from drawbar.web.report.decimation import envelope, single_precision, visible_envelope


def thinned(values, bins, time=None):
    time = np.arange(len(values), dtype=float) if time is None else time
    t, columns = envelope(time, {"a": np.asarray(values, dtype=float)}, bins)
    return t, columns["a"]


@pytest.mark.parametrize("bins", [1, 2, 3, 7])
def test_every_bin_keeps_its_exact_extremes_for_any_length(bins):
    rng = np.random.default_rng(0)
    for count in range(2 * bins + 3, 90):
        values = rng.normal(size=count)
        t, thin = thinned(values, bins)
        size = -(-count // bins)
        pairs = thin[1:-1].reshape(-1, 2)
        for pair, first in zip(pairs, range(0, count, size), strict=True):
            part = values[first : first + size]
            assert sorted(pair) == [part.min(), part.max()]
            assert list(pair) == sorted(pair, key=list(part).index)
        assert (thin[0], thin[-1]) == (values[0], values[-1])
        assert (t[0], t[-1]) == (0.0, count - 1.0)
        assert np.all(np.diff(t) >= 0)
        assert len(t) == len(thin) <= 2 * bins + 2


@pytest.mark.parametrize("place", [0, 1, 499_999, 500_000, 999_998, 1_000_000, 1_000_001])
def test_a_spike_of_one_sample_stays_where_plain_striding_loses_it(place):
    values = np.zeros(1_000_002)
    values[place] = 400.0
    t, thin = thinned(values, 1000)
    assert thin.max() == 400.0
    assert abs(t[thin.argmax()] - place) <= 1001
    strided = values[3::1001]
    assert strided.max() == 0.0


def test_the_last_partial_bin_is_kept():
    values = np.zeros(101)
    values[100] = -5.0
    t, thin = thinned(values, 10)
    assert thin.min() == -5.0
    assert t[-1] == 100.0


def test_samples_that_are_nan_are_passed_over_and_a_gap_stays_a_gap():
    values = np.arange(40.0)
    values[[3, 5]] = np.nan
    values[20:30] = np.nan
    _, thin = thinned(values, 4)
    pairs = thin[1:-1].reshape(-1, 2)
    np.testing.assert_array_equal(pairs, [[0, 9], [10, 19], [np.nan, np.nan], [30, 39]])


def test_infinity_is_an_extreme():
    values = np.zeros(100)
    values[[50, 70]] = np.inf, -np.inf
    _, thin = thinned(values, 5)
    assert (thin.max(), thin.min()) == (np.inf, -np.inf)


def test_uneven_times_are_taken_from_the_samples():
    time = np.cumsum(np.linspace(0.1, 3.0, 100))
    t, _ = thinned(np.zeros(100), 5, time)
    assert set(t) <= set(time)


def test_what_is_short_enough_is_left_as_it_is():
    values = np.arange(12.0)
    t, thin = thinned(values, 5)
    np.testing.assert_array_equal(thin, values)
    assert len(t) == 12
    with pytest.raises(ValueError, match="at least one"):
        thinned(values, 0)


def test_a_window_has_half_its_width_more_on_either_side():
    time = np.arange(101.0)
    t, columns = visible_envelope(time, {"a": 2.0 * time}, 40.0, 60.0, 1000)
    assert (t[0], t[-1]) == (29.0, 71.0)  # one sample beyond 30 and 70, so that lines run to the edges
    np.testing.assert_array_equal(columns["a"], 2.0 * t)


def test_a_window_is_fine_where_one_looks_and_keeps_every_extreme():
    t = np.arange(100_001) * 1e-3
    y = np.sin(t)
    y[50_123] = 400.0
    for start, end in ((0.0, 100.0), (50.0, 50.2), (99.9, 100.0), (-5.0, 0.01)):
        time, columns = visible_envelope(t, {"y": y}, start, end, 800)
        seen = (time >= start) & (time <= end)
        exact = y[(t >= start) & (t <= end)]
        assert len(time) <= 8 * 800 + 2
        assert (columns["y"][seen].max(), columns["y"][seen].min()) == pytest.approx(
            (exact.max(), exact.min()), abs=1e-3
        )
    assert visible_envelope(t, {"y": y}, 200.0, 201.0, 800)[0].size <= 2


def test_the_bins_of_a_moved_window_stay_where_they_are():
    t = np.arange(100_001) * 1e-3
    first, _ = visible_envelope(t, {"y": np.sin(t)}, 40.0, 60.0, 100)
    second, _ = visible_envelope(t, {"y": np.sin(t)}, 41.0, 61.0, 100)
    common = np.intersect1d(first[1:-1], second[1:-1])
    assert len(common) > 0.9 * min(len(first), len(second))


def test_single_precision_is_used_only_where_no_eye_sees_it():
    t = np.linspace(0, 10, 1000)
    assert single_precision(np.sin(t)).dtype == np.float32
    easting = 5e6 + 0.1 * np.sin(t)
    np.testing.assert_array_equal(single_precision(easting), easting)
    assert single_precision(np.full(5, 0.1)).dtype == np.float64
    assert single_precision(np.array([0.0, 1e300])).dtype == np.float64
    assert np.isnan(single_precision(np.array([np.nan, 1.0, 2.0]))[0])
