"""From a script to an FMU: its Python text, a description of ours, and the library that pythonfmu exports with."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import files as files_of
from importlib.metadata import metadata, version
from importlib.util import find_spec
from pathlib import Path

from drawbar.blocks.authoring.script import Script
from drawbar.blocks.core.errors import BuildError
from drawbar.fmus.export.codegen import guid_of
from drawbar.fmus.export.write_description import write_description
from drawbar.fmus.loading.python_requirements import REQUIREMENTS_FILE
from drawbar.fmus.scripts.script_fmu import FOLDER
from drawbar.fmus.scripts.script_source import Source, source_of, text_of

# pythonfmu runs this text once when it imports it and once for each instance, and looks for a class below Fmi2Slave
_MODULE = '''\
"""{name}, a script of Drawbar, as pythonfmu finds it."""

from pathlib import Path

from drawbar.fmus.scripts.script_fmu import Fmi2Slave, add_reference, load

add_reference(globals())


class ExportedScript(Fmi2Slave):
    key = {key!r}
    block = load({module!r}, {name!r}, {folder}, key)
'''


def script_guid(block: type[Script]) -> str:
    """Return the identity of a script: a hash of its declarations and its text."""
    content = "\0".join([write_description(block.model(), ""), text_of(block)])
    return guid_of(hashlib.sha256(content.encode()).hexdigest())


def script_content(block: type[Script]) -> dict[str, bytes]:
    """Return the files of a script's FMU; raise ``BuildError`` if the script or pythonfmu cannot be packed."""
    source, guid, model = source_of(block), script_guid(block), block.model()
    key = guid.strip("{}").replace("-", "")
    # pythonfmu imports all FMUs of a process into one interpreter, so each has a module name of its own
    module = f"drawbar_script_{key}"
    folder = f'Path(__file__).parent / "{FOLDER}"' if source.packed else "None"
    text = _MODULE.format(name=source.name, module=source.module, folder=folder, key=key)
    python = metadata("drawbar")["Requires-Python"].removeprefix(">=")
    requirements = {"python": python, "packages": source.packages()}
    return {
        "modelDescription.xml": write_description(model, guid).encode(),
        **_libraries(model.name),
        "resources/slavemodule.txt": f"{module}\n".encode(),
        f"resources/{module}.py": text.encode(),
        **_packed(source),
        f"resources/{REQUIREMENTS_FILE}": (json.dumps(requirements, indent=2, sort_keys=True) + "\n").encode(),
        **_licenses(),
    }


def _packed(source: Source) -> dict[str, bytes]:
    return {f"resources/{FOLDER}/{name}": text for name, text in source.files.items()} if source.packed else {}


def _libraries(name: str) -> dict[str, bytes]:
    spec = find_spec("pythonfmu")
    if spec is None or spec.origin is None:
        raise BuildError(f"{name}: scripts are exported through pythonfmu, which is not installed")
    binaries = Path(spec.origin).parent / "resources" / "binaries"
    found = {
        f"binaries/{file.parent.name}/{name}{file.suffix}": file.read_bytes()
        for file in sorted(binaries.glob("*/*pythonfmu-export.*"))
    }
    if not found:
        raise BuildError(f"{name}: pythonfmu {version('pythonfmu')} brings no library to export with; install it again")
    return found


def _licenses() -> dict[str, bytes]:
    """Return the licence of the library, which is not ours."""
    texts = [f for f in files_of("pythonfmu") or [] if f.name.upper().startswith("LICEN")]
    return {"documentation/licenses/pythonfmu.txt": texts[0].read_binary()} if texts else {}
