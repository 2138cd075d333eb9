"""Parameter mappings: a row that cannot be read is named and preserved."""

from pathlib import Path

from drawbar.diagrams.parameters.parameter_mapping import mapping_text, read_mapping

FOREIGN_MAPPING = (Path(__file__).parents[1] / "files" / "foreign.ssm").read_text(encoding="utf-8")


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
