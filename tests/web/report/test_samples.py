import numpy as np

from drawbar.web.report.samples import compact


def test_single_precision_is_used_only_where_no_eye_sees_it():
    t = np.linspace(0, 10, 1000)
    assert compact(np.sin(t)).dtype == np.float32
    easting = 5e6 + 0.1 * np.sin(t)
    np.testing.assert_array_equal(compact(easting), easting)
    assert compact(np.full(5, 0.1)).dtype == np.float64
    assert compact(np.array([0.0, 1e300])).dtype == np.float64
    assert np.isnan(compact(np.array([np.nan, 1.0, 2.0]))[0])
