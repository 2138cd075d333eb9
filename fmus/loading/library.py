"""The shared library of an FMU, loaded; each reason why it does not load has one message."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any

from drawbar.blocks.core.errors import FmuError
from drawbar.fmus.loading.description import Description, first_line
from drawbar.fmus.loading.needs import check_python
from drawbar.fmus.toolchain.compilers import host_platform

# how the loaders of Linux and macOS name a missing dependency of a library
_WANTED = (r"(\S+): cannot open shared object file: No such file", r"Library not loaded: (\S+)")


def load_library(description: Description, name: str, library: Path | None = None) -> Any:
    """Return FMPy's slave over the library of an FMU, not yet instantiated; `name` is that of the part."""
    library = library or description.library
    if not library.is_file():
        there = sorted(p.name for p in (description.folder / "binaries").glob("*") if p.is_dir() and any(p.iterdir()))
        raise FmuError(
            f"part '{name}': {description.identifier} has no binary for {host_platform()}"
            + (f"; it has {', '.join(there)}" if there else "")
            + (f", and needs {description.needs or 'its tool installed'}" if description.needs_tool else "")
        )
    if description.needs and (why := check_python(description.folder)):
        raise FmuError(f"part '{name}': {why}")
    here = os.getcwd()
    try:
        return _slave_class()(
            guid=description.guid,
            unzipDirectory=str(description.folder),
            modelIdentifier=description.identifier,
            instanceName=name,
            libraryPath=str(library),
        )
    except Exception as error:  # FMPy raises bare exceptions
        said = first_line(error)
        wanted = next((m[1] for pattern in _WANTED if (m := re.search(pattern, said))), "")
        if wanted:
            said = f"{library.name} needs the library {wanted}, which is not on this machine; install it"
        raise FmuError(f"part '{name}': {said}") from None
    finally:
        os.chdir(here)  # FMPy changes to the library's folder, and does not return where loading fails


def _slave_class() -> type[Any]:
    from fmpy.fmi2 import FMU2Slave

    class FMU2LenientSlave(FMU2Slave):  # type: ignore[misc]  # FMPy looks at how the class's name begins
        """FMPy's slave, also for the many libraries that lack functions which nobody calls."""

        dll: Any

        def _loadFunctions(self) -> None:  # noqa: N802  # FMPy's name
            library: Any = self.dll
            self.dll = _Lenient(library)
            try:
                super()._loadFunctions()
            finally:
                self.dll = library

    return FMU2LenientSlave


class _Lenient:
    """A library with a function for every name: one that it lacks fails when it is called."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, function: str) -> Any:
        with contextlib.suppress(AttributeError):
            return getattr(self._library, function)

        def lacking(*arguments: Any) -> Any:
            raise FmuError(f"the library lacks {function}")

        return lacking
