import pytest

from drawbar.web.report.style import axis_label, display_unit, escape_tex, format_unit


@pytest.mark.parametrize(
    ("unit", "text"),
    [("m/s2", "m/s²"), ("kg.m2", "kg·m²"), ("1", ""), ("N", "N"), ("deg/s2", "°/s²"), ("degC", "degC")],
)
def test_units_are_printed_as_people_write_them(unit, text):
    assert format_unit(unit) == text


def test_axis_texts():
    assert display_unit("m") == (1.0, "m")
    assert display_unit("rad/s")[0] == pytest.approx(57.29577951308232)
    assert axis_label(["a.wheel_load[1]", "a.wheel_load[2]"], "N") == "wheel load [N]"
    assert axis_label(["a.x", "a.y"], "m") == "[m]"
    assert axis_label(["a.slip"], "1") == "slip [-]"


def test_text_that_looks_like_tex_is_left_as_text():
    for text in ("$$x$$", r"\[x\]", r"\(x\)"):
        assert escape_tex(text) != text
        assert escape_tex(text).replace("\u200b", "") == text
    assert escape_tex("a.b[1] $5 \\n") == "a.b[1] $5 \\n"
