"""Parameter mappings: a row that cannot be read is named and preserved."""

from drawbar.diagrams.parameters.parameter_mapping import mapping_text, read_mapping

FOREIGN_MAPPING = """<?xml version="1.0"?>
<m:ParameterMapping version="1.0" xmlns:m="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
  xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:t="urn:tool" fileversion="3">
  <!-- both sides -->
  <m:MappingEntry target="x" source="k" description="d"><c:LinearTransformation offset="1" t:by="me"/></m:MappingEntry>
  <m:MappingEntry target="y" source="on"><c:BooleanMappingTransformation t:by="you"><!-- why -->
    <c:MapEntry source="true" target="false" t:row="1"/><!-- and --><c:MapEntry source="false" target="true"/>
    <!-- that is all --></c:BooleanMappingTransformation></m:MappingEntry>
  <m:MappingEntry target="z" source="mode"><c:EnumerationMappingTransformation>
    <c:MapEntry target="b" source="a"><!-- inside --><t:More/></c:MapEntry></c:EnumerationMappingTransformation>
  </m:MappingEntry>
  <m:Annotations><c:Annotation type="t"><t:Data/></c:Annotation></m:Annotations>
</m:ParameterMapping>"""


def test_a_mapping_row_that_cannot_be_read_is_named_and_kept(tmp_path):
    (tmp_path / "m.ssm").write_text(FOREIGN_MAPPING.replace('source="false"', 'source="true"').replace('"1"', '"1_0"'))
    mapping = read_mapping(tmp_path / "m.ssm")
    assert [text for _, text in mapping.faults] == [
        "the LinearTransformation of 'k' has a value that is no number",
        "the BooleanMappingTransformation of 'on' has a value that is none or comes twice",
    ]
    again = mapping_text(mapping)
    assert 'offset="1_0"' in again
    assert again.count('source="true"') == 2
