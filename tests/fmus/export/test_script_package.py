"""The FMU of a script: its bytes, its identity, and what cannot be packed."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from drawbar.blocks import BuildError, Output, Script
from drawbar.fmus.export.package import build
from drawbar.fmus.loading.description import read_description

WriteScript = Callable[..., type[Script]]


class Plain(Script, period=0.1):
    """At the top of this file, which is a module that others can import."""

    y = Output("1", "nothing")

    def step(self, t: float, dt: float) -> None:
        self.y = 1.0


def test_a_script_inside_a_function_cannot_be_exported() -> None:
    class Inside(Plain):
        """Nobody can import it."""

    with pytest.raises(BuildError, match="Inside: an FMU needs a script at the top of a module, not inside"):
        build(Inside)


def test_the_same_text_gives_the_same_bytes(
    watcher: type[Script], tmp_path: Path, write_script: WriteScript, script_text: str
) -> None:
    once = build(watcher, tmp_path / "a").read_bytes()
    shutil.rmtree(build(watcher).parent)
    assert build(watcher, tmp_path / "b").read_bytes() == once
    other = write_script(tmp_path, 1, script_text.replace("class Watcher", "# a remark\nclass Watcher"))
    assert read_description(build(other)).guid != read_description(build(watcher)).guid


def test_a_helper_that_changes_makes_another_fmu(tmp_path: Path, write_script: WriteScript) -> None:
    from drawbar.fmus.export.script_package import script_guid

    block = write_script(tmp_path, 0)
    before = script_guid(block)
    assert before == script_guid(block)
    (helper,) = tmp_path.glob("way0/*_helper_0.py")
    helper.write_text("def scale(x):\n    return 3 * x\n")
    assert script_guid(block) != before


def test_the_description_says_what_the_block_says(watcher: type[Script]) -> None:
    path = build(watcher)
    description = read_description(path)
    theirs, ours = description.interface, watcher.interface()
    for port in ours.ports:
        found = theirs.port(port.name)
        assert found is not None
        facts = ("causality", "variability", "type", "shape", "start", "minimum", "maximum", "description")
        assert [getattr(found, f) for f in facts] == [getattr(port, f) for f in facts]
        assert found.initial == port.initial or port.causality == "input"
        assert found.quantity == port.quantity or port.type != "Real"
    assert (theirs.period, theirs.sampled, theirs.integrates) == (ours.period, True, False)
    assert theirs.feedthrough == ours.feedthrough and theirs.initial_feedthrough == ours.initial_feedthrough
    xml = zipfile.ZipFile(path).read("modelDescription.xml").decode()
    assert 'needsExecutionTool="true"' in xml and "canGetAndSetFMUstate" not in xml
    assert "<ModelExchange" not in xml, "the importer cannot step Python otherwise"
    assert 'unit="N/m"' in xml and 'name="pair.force[2]"' in xml and 'max="10.0"' in xml
