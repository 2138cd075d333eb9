"""The media type of a component, where the file gives it and where it does not."""

import pytest
from lxml import etree

from drawbar.diagrams.xml.tags import FMU_TYPE, SSD_TYPE, SSP_TYPE, type_of


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"source": "a.fmu"}, FMU_TYPE),
        ({"source": "a.ssd"}, SSD_TYPE),
        ({"source": "#inside"}, SSD_TYPE),
        ({"source": "a.ssp"}, SSP_TYPE),
        ({"source": "a.ssp#Variant.ssd"}, SSP_TYPE),
        ({"source": "a.ssd", "type": FMU_TYPE}, FMU_TYPE),
        ({}, FMU_TYPE),
    ],
)
def test_the_type_follows_from_the_source(attributes, kind):
    assert type_of(etree.Element("Component", attributes)) == kind
