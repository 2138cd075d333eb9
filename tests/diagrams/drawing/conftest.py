import pytest
from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def elements():
    """Return the elements of a picture with a tag, and with a class if one is given."""

    def found(text, tag, style=None):
        root = etree.fromstring(text.encode())
        return [e for e in root.iter(SVG + tag) if style is None or e.get("class") == style]

    return found


@pytest.fixture(scope="session")
def words(elements):
    """Return the texts of a picture with a class."""
    return lambda text, style: [e.text for e in elements(text, "text", style)]
