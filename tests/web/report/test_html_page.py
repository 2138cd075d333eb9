from drawbar.web.report.html_page import html_page, is_page


def test_the_title_is_escaped_and_the_parts_are_in_place():
    text = html_page("<a>", "default-src 'none'", "<style></style>", "<p>text</p>")
    assert "<title>&lt;a&gt;</title>" in text
    assert text.index("default-src 'none'") < text.index("<style>") < text.index("<body>") < text.index("<p>text</p>")


def test_a_page_is_recognized_by_its_generator(tmp_path):
    own, empty, other = (tmp_path / name for name in ("own.html", "empty.html", "other.html"))
    own.write_text(html_page("t", "", "", ""))
    empty.write_text("")
    other.write_text("<!DOCTYPE html><title>notes about Drawbar</title>")
    assert [is_page(path) for path in (own, empty, other, tmp_path, tmp_path / "none")] == [
        True,
        True,
        False,
        False,
        False,
    ]
