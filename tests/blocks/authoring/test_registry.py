import argparse
import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from drawbar.blocks import DefinitionError, UsageError
from drawbar.blocks.authoring import registry
from drawbar.blocks.authoring.block import summary
from drawbar.blocks.authoring.registry import (
    UnknownBlockError,
    block_class,
    block_classes,
    block_index,
    find_block,
    open_workspace,
    reference_of,
    snake_case,
    survey,
)
from drawbar.blocks.signals.first_order_lag import FirstOrderLag
from drawbar.diagrams.verbs import list_

LAG = "drawbar.blocks.signals.first_order_lag:FirstOrderLag"
BLOCK = "from drawbar.blocks.signals.first_order_lag import FirstOrderLag\nclass Mine(FirstOrderLag): 'Mine.'\n"


def test_a_block_is_found_by_its_reference():
    assert block_class(LAG) is FirstOrderLag
    assert reference_of(FirstOrderLag) == LAG
    assert block_classes()["FirstOrderLag"] is FirstOrderLag
    assert "SingleTrack" in block_classes()
    assert "Continuous" not in block_classes()


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("drawbar.blocks.signals.first_order_lag:FirstOrderLog", "did you mean '" + LAG),
        ("drawbar.blocks.signals.lag:FirstOrderLag", "did you mean '" + LAG),
        ("FirstOrderLag", "write it as 'package.module:Class'"),
        ("drawbar.blocks:Continuous", "is unknown"),
        ("drawbar.blocks:if_else", "is unknown"),
        ("drawbar.blocks_of_another:X", "is unknown"),
        ("os:system", "is unknown"),
        ("../evil:X", "write it as"),
        ("drawbar.blocks.:X", "write it as"),
    ],
)
def test_anything_else_is_refused(reference, message):
    with pytest.raises(UnknownBlockError, match=message.replace(".", r"\.")):
        block_class(reference)


def test_only_named_packages_are_imported(tmp_path, monkeypatch):
    (tmp_path / "stranger_blocks.py").write_text("raise SystemExit('imported')")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    with pytest.raises(UnknownBlockError, match="is unknown"):
        block_class("stranger_blocks:X")
    points = [EntryPoint("x", "stranger_blocks", registry.GROUP)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    with pytest.raises(UnknownBlockError, match="does not import: imported"):  # once it is named, it is imported
        block_class("stranger_blocks:X")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_workspaces", list(registry._workspaces))
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]  # the next folder may hold another module of that name


def test_a_workspace_is_opened_by_the_user(folder):
    (folder / "own_lag.py").write_text(
        "from drawbar.blocks.signals.first_order_lag import FirstOrderLag\n"
        "class OwnLag(FirstOrderLag):\n    'My lag.'\n"
        "class FirstOrderLag(FirstOrderLag):\n    'The same name.'\n"
    )
    with pytest.raises(UnknownBlockError):
        block_class("own_lag:OwnLag")
    open_workspace(folder)
    assert block_class("own_lag:OwnLag").__doc__ == "My lag."
    found = block_classes()
    assert found["FirstOrderLag"] is FirstOrderLag
    assert found["own_lag:FirstOrderLag"].__doc__ == "The same name."
    with pytest.raises(UsageError, match="no folder"):
        open_workspace(folder / "none")


def test_a_workspace_cannot_stand_in_for_an_installed_module(folder, tmp_path_factory):
    (folder / "json.py").write_text("class X: pass")
    installed = tmp_path_factory.mktemp("installed")
    (installed / "hidden_blocks.py").write_text("raise SystemExit('imported')")
    (folder / "hidden_blocks.py").write_text("class X: pass")
    sys.path.append(str(installed))
    open_workspace(folder)
    for reference in ("json:X", "json:JSONDecoder", "hidden_blocks:X"):
        with pytest.raises(UnknownBlockError, match="is unknown"):
            block_class(reference)
    assert "X" not in block_classes()


@pytest.mark.parametrize("name", ["signal", "types", "queue"])
def test_a_file_named_like_an_installed_module_is_to_be_renamed(folder, name):
    (folder / f"{name}.py").write_text(BLOCK)
    open_workspace(folder)
    reason = f"{name}.py of the workspace is never imported, because .* has a module '{name}'; rename it"
    with pytest.raises(UnknownBlockError, match=f"block '{name}:Mine' is unknown: {reason}"):
        block_class(f"{name}:Mine")
    with pytest.raises(UsageError, match=f"there is no block 'Mine'.*{name} does not import: {reason}"):
        find_block("Mine")
    assert "rename it" in block_index()[1][name]
    with pytest.raises(UnknownBlockError, match="is unknown") as caught:  # the control: no such file
        block_class("string:Mine")
    assert "rename" not in str(caught.value)


def test_a_module_that_does_not_import_hides_no_other(folder):
    (folder / "broken_blocks.py").write_text(f"{BLOCK}import no_such_module")
    (folder / "crashing_blocks.py").write_text(f"{BLOCK}1 / 0")
    (folder / "ending_blocks.py").write_text(f"{BLOCK}raise SystemExit('I am a script')")
    open_workspace(folder)
    blocks, broken = survey()
    assert "FirstOrderLag" in blocks
    assert broken["crashing_blocks"] == "division by zero (crashing_blocks.py:3)"
    assert broken["ending_blocks"] == "I am a script (ending_blocks.py:3)"
    assert "no_such_module" in broken["broken_blocks"]
    with pytest.raises(UnknownBlockError, match="does not import: No module named 'no_such_module'"):
        block_class("broken_blocks:X")
    with pytest.raises(UnknownBlockError, match="does not import: division by zero"):
        block_class("crashing_blocks:X")
    with pytest.raises(UnknownBlockError, match="does not import: I am a script"):
        block_class("ending_blocks:X")


def test_a_slip_in_a_declaration_is_told_with_its_line(folder):
    text = "from drawbar.blocks import Continuous, Output\nclass Slip(Continuous):\n    y = Output('a height')\n"
    (folder / "slipped.py").write_text(text)
    open_workspace(folder)
    with pytest.raises(UnknownBlockError, match=r"missing 1 required .*'description' \(slipped\.py:3\)"):
        block_class("slipped:Slip")
    (folder / "unlike.py").write_text(text.replace("'a height'", "'kgs', 'a mass'"))
    with pytest.raises(UnknownBlockError, match=r"Slip\.y: .*; did you mean 'kg'\?$"):  # an error of ours says where
        block_class("unlike:Slip")


def test_without_a_workspace_one_is_told_of_it(folder, monkeypatch):
    monkeypatch.setattr(registry, "_workspaces", [])
    with pytest.raises(UsageError, match=r"there is no block 'Mine'.*open the folder of other blocks with --workspace"):
        find_block("Mine")
    open_workspace(folder)
    with pytest.raises(UsageError, match=r"there is no block 'Mine'(?!.*--workspace)"):
        find_block("Mine")


@pytest.mark.parametrize("place", ["sub/mine.py", "sub/deeper/mine.py"])
def test_a_block_further_down_in_a_workspace_is_told(folder, place):
    file = folder / place
    file.parent.mkdir(parents=True)
    file.write_text("from drawbar.blocks import Continuous\nclass Mine(Continuous):\n    'Mine.'\n")
    open_workspace(folder)
    told = rf"\({place} has a class of that name: open its folder, --workspace {file.parent}\)$"
    with pytest.raises(UsageError, match=rf"^there is no block 'Mine'.*{told}"):
        find_block("Mine")
    with pytest.raises(UnknownBlockError, match=rf"^block 'mine:Mine' is unknown {told}"):
        block_class("mine:Mine")
    with pytest.raises(UsageError, match=r"there is no block 'Min'(?!.*--workspace)"):
        find_block("Min")
    open_workspace(file.parent)
    with pytest.raises(UsageError, match="there is no block 'None'"):
        find_block("None")


def test_a_block_of_a_script_is_named_by_the_script(tmp_path):
    script = tmp_path / "my_study.py"
    script.write_text(
        "from drawbar.blocks import Continuous, Output\n"
        "from drawbar.blocks.authoring.registry import reference_of\n"
        "class One(Continuous):\n"
        "    y = Output('1', 'one')\n"
        "    def outputs(self):\n"
        "        return {'y': 1.0}\n"
        "print(reference_of(One))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "my_study:One"


def test_a_block_of_a_broken_module_is_missed_with_the_reason(folder):
    (folder / "half_written.py").write_text("def f(:\n")
    open_workspace(folder)
    with pytest.raises(UsageError, match=r"there is no block 'Half'.*; half_written does not import: invalid syntax"):
        find_block("Half")
    assert find_block("FirstOrderLag") is FirstOrderLag


@pytest.mark.parametrize(
    "script",
    [
        "from drawbar.blocks.signals.first_order_lag import FirstOrderLag\n",
        "from own_kinds import Lag\nclass Settings: pass\n",
        "from drawbar.blocks import Bus, Member\nclass Hub(Bus):\n    speed = Member('m/s', 'speed')\n",
    ],
)
def test_a_script_that_only_uses_blocks_is_not_run(folder, script):
    (folder / "own_kinds.py").write_text(BLOCK.replace("Mine", "Lag"))
    (folder / "study.py").write_text(f"{script}raise RuntimeError('the study runs')\n")
    open_workspace(folder)
    blocks, broken = survey()
    assert blocks["Lag"].__module__ == "own_kinds"
    assert broken == {}
    (folder / "study.py").write_text(f"{script}{BLOCK}raise RuntimeError('the study runs')\n")  # the control
    assert survey()[1]["study"].startswith("the study runs (study.py:")


def test_what_modules_print_goes_to_stderr(folder, capsys):
    (folder / "chatty.py").write_text(f"{BLOCK}print('hello from the survey')")
    (folder / "talker.py").write_text(f"{BLOCK}print('hello from the block')")
    open_workspace(folder)
    assert block_class("talker:Mine").__doc__ == "Mine."
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "hello from the block\n")
    survey()
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "hello from the survey\n")
    print("and back")
    assert capsys.readouterr().out == "and back\n"


def test_list_gives_json_beside_scripts_that_print(folder, capsys):
    (folder / "chatty_blocks.py").write_text(f"{BLOCK}print('{{')")
    (folder / "sweep.py").write_text("from chatty_blocks import Mine\nprint('running'); raise SystemExit(3)")
    options = argparse.Namespace(workspace=str(folder), json=True)
    assert list_.call(options) == 0
    shown = capsys.readouterr()
    assert "chatty_blocks:Mine" in [row["block"] for row in json.loads(shown.out)["blocks"]]
    assert shown.err == "{\n"


def test_the_index_names_what_the_survey_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    for _ in range(2):  # written, then read
        entries, broken = block_index()
        assert broken == {}
        assert {name: entry.reference for name, entry in entries.items()} == {
            name: reference_of(block) for name, block in block_classes().items()
        }
        assert entries["FirstOrderLag"].kind == "continuous"
        assert entries["FirstOrderLag"].about == summary(FirstOrderLag)
        entries.clear()  # what a caller does with it changes nothing


def test_the_nearest_name_costs_no_import(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from drawbar.blocks.authoring.registry import find_block\n"
        "try:\n"
        "    find_block('HmmwvVehicel')\n"
        "except Exception as error:\n"
        "    print(error)\n"
        "print(sum(name.startswith('drawbar.blocks.vehicle.') for name in sys.modules))\n"
    )
    environment = {**os.environ, "DRAWBAR_CACHE": str(tmp_path)}
    shown = [
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = (done.stdout.splitlines() for done in shown)
    assert "did you mean 'HmmwvVehicle'?" in first[0]
    assert second[0] == first[0]
    assert int(first[1]) > 10  # without an index, all modules were imported
    assert int(second[1]) == 0


@pytest.mark.parametrize(
    ("name", "module"),
    [("RateLimiter", "rate_limiter"), ("PID", "pid"), ("PIDControl", "pid_control"), ("Tire2D", "tire2_d"), ("X", "x")],
)
def test_a_module_is_named_like_its_class(name, module):
    assert snake_case(name) == module


def test_a_block_made_by_a_function_is_found_by_its_name_in_the_module(folder):
    (folder / "factory.py").write_text(
        "from drawbar.blocks.signals.gain import Gain\n"
        "def make(factor):\n"
        "    class Made(Gain):\n"
        "        'A gain.'\n"
        "    return Made\n"
        "class Listed(Gain):\n"
        "    'So that the module is seen to define blocks.'\n"
        "Made = make(2)\n"
    )
    open_workspace(folder)
    assert find_block("Made").__name__ == "Made"


def test_a_faulty_block_is_named_by_the_index_and_not_listed(folder):
    (folder / "bad.py").write_text(
        "from drawbar.blocks import Continuous, Output\n"
        "class Bad(Continuous):\n"
        "    y = Output('1', 'value')\n"
        "    def outputs(self):\n"
        "        return {'yy': 1.0}\n"
    )
    open_workspace(folder)
    entries, broken = block_index()
    assert "Bad" not in entries
    assert "Bad.outputs() sets 'yy'" in broken["bad"]
    with pytest.raises(DefinitionError, match=r"Bad.outputs\(\) sets 'yy'"):
        find_block("Bad").model()
