"""Text files that are written as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from drawbar.blocks.core.errors import UsageError


def save(file: Path, content: str) -> None:
    """Replace a file as a whole; raise `UsageError` with the reason, and leave the file as it was, if that fails."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content.encode())
        os.replace(temporary, file)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
