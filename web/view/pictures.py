"""The picture of the diagram from which a run was made."""

from __future__ import annotations

from pathlib import Path

from drawbar.blocks.core.errors import DrawbarError, UsageError
from drawbar.diagrams import read
from drawbar.diagrams.drawing.picture import svg
from drawbar.diagrams.library import find, names
from drawbar.orchestrator.runs.recorder import PICTURE_FILE
from drawbar.web.view.catalogue import Entry

_LARGEST = 16 << 20  # bytes of a picture; larger ones are not shown


class Pictures:
    """Pictures of runs, and of the opened diagram, if there is one."""

    def __init__(self, diagram: Path | None) -> None:
        self.diagram = diagram
        self.name = "" if diagram is None else read(diagram).name

    def opened(self) -> str:
        """Return the picture of the opened diagram, as its file is now."""
        if self.diagram is None:
            raise UsageError("no diagram was opened; start drawbar view DIAGRAM to see one")
        return svg(read(self.diagram))

    def of(self, entry: Entry) -> tuple[str, str]:
        """Return the picture of a run's diagram, and a note about it."""
        file = entry.folder / PICTURE_FILE
        try:
            if file.is_file() and not file.is_symlink() and file.stat().st_size <= _LARGEST:
                return file.read_text("utf-8", errors="replace"), ""
        except OSError as error:
            raise DrawbarError(f"{file} cannot be read: {error.strerror}") from error
        now = f"{entry.name} holds no picture; this is {entry.diagram} as it is now."
        if self.diagram is not None and entry.diagram == self.name:
            return self.opened(), now
        # the name comes from a file that may be anyone's, so it must not become a path
        if entry.diagram in names():
            return svg(read(find(entry.diagram))), now
        raise UsageError(
            f"{entry.name} holds no picture of its diagram '{entry.diagram}'; "
            "start drawbar view with the file of the diagram to see it"
        )
