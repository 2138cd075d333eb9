"""The C text of a kernel block, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drawbar.blocks.authoring.resource import Resource
from drawbar.blocks.core.errors import DefinitionError


@dataclass(frozen=True)
class CSource:
    """What a kernel block is made of besides its ports.

    `paths` are the C file that gives the functions, then the files that it includes. `functions` are those among
    derivatives, update and outputs that the declaration asks for. `work` doubles and `integer_work` long longs are
    handed to each of them as scratch.
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
        """The files by name, as they are now; ``DefinitionError`` if one cannot be read."""
        found: dict[str, str] = {}
        for path in self.paths:
            try:
                # line ends of all systems become one, so that a checkout elsewhere has the same identity
                found[path.name] = path.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise DefinitionError(f"{path} cannot be read: {error}") from None
        return found
