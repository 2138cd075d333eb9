import pytest

from drawbar.web.report.texts import plain, pretty, quantity, shown


@pytest.mark.parametrize(
    ("unit", "text"),
    [("m/s2", "m/s²"), ("kg.m2", "kg·m²"), ("1", ""), ("N", "N"), ("deg/s2", "°/s²"), ("degC", "degC")],
)
def test_units_are_printed_as_people_write_them(unit, text):
    assert pretty(unit) == text


def test_axis_texts():
    assert shown("m") == (1.0, "m")
    assert shown("rad/s")[0] == pytest.approx(57.29577951308232)
    assert quantity(["a.wheel_load[1]", "a.wheel_load[2]"], "N") == "wheel load [N]"
    assert quantity(["a.x", "a.y"], "m") == "[m]"
    assert quantity(["a.slip"], "1") == "slip [-]"


def test_text_that_looks_like_tex_is_left_as_text():
    for text in ("$$x$$", r"\[x\]", r"\(x\)"):
        assert plain(text) != text
        assert plain(text).replace("\u200b", "") == text
    assert plain("a.b[1] $5 \\n") == "a.b[1] $5 \\n"
