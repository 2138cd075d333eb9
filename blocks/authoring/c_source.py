"""The C files of a kernel block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drawbar.blocks.authoring.resource import Resource
from drawbar.blocks.core.errors import DefinitionError


@dataclass(frozen=True)
class CSource:
    """The C part of a kernel block.

    `paths` are the C file with the functions, then the files that it includes. `functions` are those of derivatives,
    update and outputs that the declaration requires. Each of them receives `work` doubles and `integer_work` long longs
    of scratch memory.
    """

    paths: tuple[Path, ...]
    functions: tuple[str, ...]
    work: int
    integer_work: int
    resources: tuple[Resource, ...]

    @property
    def header(self) -> str:
        """The name of the generated header."""
        return self.paths[0].stem + ".h"

    def texts(self) -> dict[str, str]:
        """Return the present text of each file by name; raise `DefinitionError` if one cannot be read."""
        found: dict[str, str] = {}
        for path in self.paths:
            try:
                # line ends are normalized, so that a checkout on another system has the same identity
                found[path.name] = path.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise DefinitionError(f"{path} cannot be read: {error}") from None
        return found
