"""The verb ``drawbar view``: what its arguments stand for, and how it starts and ends."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from drawbar.orchestrator.cli.commands import main
from drawbar.web import view_command

VIEW = [sys.executable, "-m", "drawbar.orchestrator.cli.entry", "view"]


def first_line(folder, *arguments):
    """What the verb prints first, and how it ends on Ctrl-C."""
    with subprocess.Popen(
        [*VIEW, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as view:
        line = view.stdout.readline()
        view.send_signal(signal.SIGINT)
        rest, errors = view.communicate(timeout=20)
    return line, rest, errors, view.returncode


def test_it_prints_one_address_and_ends_quietly_on_ctrl_c(tmp_path):
    line, rest, errors, code = first_line(tmp_path, "--no-browser")
    assert line.startswith("http://127.0.0.1:")
    assert "/?token=" in line
    assert (rest, errors, code) == ("", "Press Ctrl-C to end.\n", 0)


def test_json_contains_address_port_and_process(tmp_path):
    line, rest, errors, code = first_line(tmp_path, "--json")
    result = json.loads(line)
    assert set(result) == {"url", "port", "pid"}
    assert f":{result['port']}/" in result["url"]
    assert (rest, errors, code) == ("", "", 0)


def test_a_port_that_is_taken_is_one_message_with_what_to_do(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line, rest, errors, code = first_line(tmp_path, "--port", str(port), "--no-browser")
    assert (line, rest, code) == ("", "", 2)
    assert errors == (
        f"drawbar: error: port {port} is in use by another program; leave out --port for a free one, or name another\n"
    )


def test_the_port_that_was_asked_for_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    line, _, _, code = first_line(tmp_path, "--port", str(port), "--json")
    assert (json.loads(line)["port"], code) == (port, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "--port 70000"),
        (["nowhere"], "there is no run, folder or diagram 'nowhere'"),
        (["double_lane_chang"], "did you mean 'double_lane_change'?"),
        (["--svg", "x.svg"], "--svg FILE needs"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message, capsys):
    assert main(["view", *arguments, "--no-browser"]) == 2
    assert message in capsys.readouterr().err


def test_other_verbs_do_not_wait_for_bokeh(tmp_path):
    script = (
        "import sys, drawbar.web.view_command, drawbar.web.commands; print([m for m in sys.modules if 'bokeh' in m])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("word", [".", "../a", "../../link"])
def test_a_run_opens_among_its_neighbours(lane_change, tmp_path, monkeypatch, word):
    lane_change("runs/a")
    lane_change("runs/b")
    (tmp_path / "link").symlink_to(tmp_path / "runs" / "a", target_is_directory=True)
    monkeypatch.chdir(tmp_path / "runs" / "a")
    root, run, diagram = view_command._resolve(word, None)
    assert (root, run, diagram) == (tmp_path / "runs", Path(word), None)
    assert run.resolve().name == "a"


def test_a_working_folder_means_its_runs(lane_change, tmp_path):
    assert view_command._resolve(str(tmp_path), None)[0] == tmp_path
    lane_change("runs/a")
    assert view_command._resolve(str(tmp_path), None)[0] == tmp_path / "runs"
    lane_change("b")
    assert view_command._resolve(str(tmp_path), None)[0] == tmp_path
