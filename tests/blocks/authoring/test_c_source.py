"""The C files of a kernel block are read by name, with line ends of one kind."""

from pathlib import Path

import pytest

from drawbar.blocks import DefinitionError
from drawbar.blocks.authoring.c_source import CSource


def test_texts_are_read_by_name_and_the_header_is_named_after_the_first(tmp_path: Path) -> None:
    (tmp_path / "scan.c").write_bytes(b"int a;\r\nint b;\r\n")
    (tmp_path / "rays.h").write_bytes(b"int c;\n")
    source = CSource((tmp_path / "scan.c", tmp_path / "rays.h"), ("outputs",), 0, 0, ())
    assert source.header == "scan.h"
    assert source.texts() == {"scan.c": "int a;\nint b;\n", "rays.h": "int c;\n"}


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "scan.c").write_bytes(content)
    with pytest.raises(DefinitionError, match=r"scan\.c cannot be read"):
        CSource((tmp_path / "scan.c",), (), 0, 0, ()).texts()
