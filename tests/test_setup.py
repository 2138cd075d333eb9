"""The script behind the README's two commands, driven with stand-ins for Python so that nothing is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# answers the questions that setup asks an interpreter, and notes what it is told to do
PYTHON = """#!/bin/sh
case "$*" in
*ensurepip*) echo "{answer}"; exit ;;
*base_prefix*) echo "{answer} $(cat "$0" | cksum)"; exit ;;
"-c import pip" | --version) echo "Python 3.12.0"; exit ;;
esac
echo "python $*" >>"{log}"
case "$*" in
*" venv "*)
    rm -rf .venv
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
    printf '#!/bin/sh\\necho "drawbar $*" >>"{log}"\\n' >.venv/bin/drawbar
    chmod +x .venv/bin/drawbar ;;
esac
exit {code}
"""
VENV = "python -m venv --clear .venv"
INSTALL = "python -m pip install -qq --disable-pip-version-check --no-user --editable "
RUN = "drawbar run double_lane_change"


class Sandbox:
    """A copy of setup in a folder with a space in its name, a PATH with a few tools, and a log of what was called."""

    def __init__(self, clone: Path, folder: Path) -> None:
        self.clone, self.bin, self.log = folder / "a clone", folder / "bin", folder / "log"
        self.clone.mkdir()
        self.bin.mkdir()
        shutil.copy(clone / "setup", self.clone)
        (self.clone / "pyproject.toml").write_text("[project]\n")
        for tool in ("sh", "cat", "cksum", "cp", "mkdir", "rm", "chmod"):
            found = shutil.which(tool)
            assert found
            (self.bin / tool).symlink_to(found)
        self.log.touch()

    def python(self, name: str = "python3", answer: str = "usable", code: int = 0) -> Path:
        """Put a stand-in for Python on the PATH."""
        path = self.bin / name
        path.write_text(PYTHON.format(answer=answer, log=self.log, code=code))
        path.chmod(0o755)
        return path

    def __call__(self, *words: str, cwd: str = "/", **environment: str) -> subprocess.CompletedProcess[str]:
        """Run setup with an environment of nothing but PATH and what is given."""
        return subprocess.run(
            [str(self.clone / "setup"), *words],
            cwd=cwd,
            env={"PATH": str(self.bin), **environment},
            capture_output=True,
            text=True,
        )

    def calls(self) -> list[str]:
        """What was called since the last time of asking."""
        called = self.log.read_text().splitlines()
        self.log.write_text("")
        return called


@pytest.fixture
def sandbox(clone: Path, tmp_path: Path) -> Sandbox:
    return Sandbox(clone, tmp_path)


@pytest.mark.parametrize("shell", [shell for shell in ("sh", "dash", "bash", "busybox") if shutil.which(shell)])
def test_every_shell_can_read_it(clone: Path, shell: str) -> None:
    command = [shell, "sh"] if shell == "busybox" else [shell]
    done = subprocess.run([*command, "-n", str(clone / "setup")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_is_executable(clone: Path) -> None:
    assert os.access(clone / "setup", os.X_OK)


@pytest.mark.parametrize("words", [(), ("--help",), ("-h",), ("help",)])
def test_usage(sandbox: Sandbox, words: tuple[str, ...]) -> None:
    done = sandbox(*words)
    assert done.returncode == 0
    assert "./setup run" in done.stdout and "./setup test" in done.stdout
    assert sandbox.calls() == []


@pytest.mark.parametrize("words", [("tset",), ("run", "fast")])
def test_wrong_usage(sandbox: Sandbox, words: tuple[str, ...]) -> None:
    sandbox.python()
    done = sandbox(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("setup: ")
    assert sandbox.calls() == []


def test_run_installs_once(sandbox: Sandbox) -> None:
    sandbox.python()
    done = sandbox("run")
    assert done.returncode == 0, done.stderr
    assert sandbox.calls() == [VENV, INSTALL + ".", RUN]
    assert sandbox("run").returncode == 0
    assert sandbox.calls() == [RUN]


def test_a_changed_project_is_installed_again(sandbox: Sandbox) -> None:
    sandbox.python()
    sandbox("run")
    sandbox.calls()
    (sandbox.clone / "pyproject.toml").write_text("[project]\nversion = '2'\n")
    sandbox("run")
    assert sandbox.calls() == [INSTALL + ".", RUN]


def test_a_moved_clone_is_installed_again(sandbox: Sandbox) -> None:
    sandbox.python()
    sandbox("run")
    sandbox.calls()
    sandbox.clone = sandbox.clone.rename(sandbox.clone.with_name("elsewhere"))
    sandbox("run")
    assert sandbox.calls() == [INSTALL + ".", RUN]


def test_a_failed_installation_is_tried_again(sandbox: Sandbox) -> None:
    sandbox.python()
    sandbox("run")
    (sandbox.clone / "pyproject.toml").write_text("[project]\nversion = '2'\n")
    shutil.copy(sandbox.python("broken", code=1), sandbox.clone / ".venv" / "bin" / "python")
    sandbox.calls()
    done = sandbox("run")
    assert done.returncode == 1
    assert done.stderr == "setup: the installation failed; pip gives the reason above\n"
    assert sandbox.calls() == [INSTALL + "."]
    sandbox("run")
    assert sandbox.calls() == [INSTALL + "."]


def test_test_passes_its_words_on(sandbox: Sandbox) -> None:
    sandbox.python()
    assert sandbox("test", "-k", "two words").returncode == 0
    assert sandbox.calls() == [VENV, INSTALL + ".[test]", "python -m pytest -k two words"]


def test_it_needs_no_environment(clone: Path, sandbox: Sandbox) -> None:
    # with an empty environment the shell finds the system's own Python; being asked for usage it runs nothing
    done = subprocess.run([str(sandbox.clone / "setup")], env={}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    python = sandbox.python("chosen")
    done = subprocess.run(
        [str(sandbox.clone / "setup"), "run"], env={"PYTHON": str(python)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert sandbox.calls() == [VENV, INSTALL + ".", RUN]


def test_no_python(sandbox: Sandbox) -> None:
    done = sandbox("run")
    assert done.returncode == 1
    assert done.stderr == (
        "setup: needs Python 3.11 or newer with venv, found none on PATH. Set PYTHON=/path/to/python3 to name one.\n"
    )


def test_unusable_pythons_are_named(sandbox: Sandbox) -> None:
    sandbox.python("python3", answer="3.9.2 is too old")
    sandbox.python("python3.11", answer="3.11.2 has no venv")
    done = sandbox("run")
    assert done.returncode == 1
    assert "found none on PATH; python3 3.9.2 is too old; python3.11 3.11.2 has no venv." in done.stderr
    assert done.stderr.count("\n") == 1
    assert sandbox.calls() == []


def test_a_newer_python_beside_an_old_one_is_found(sandbox: Sandbox) -> None:
    sandbox.python("python3", answer="3.9.2 is too old")
    sandbox.python("python3.12")
    done = sandbox("run")
    assert done.returncode == 0
    assert "(python3.12)" in done.stdout


def test_python_is_the_users_choice(sandbox: Sandbox) -> None:
    sandbox.python()
    sandbox("run")
    sandbox.calls()
    mine = sandbox.python("mine")
    mine.write_text(mine.read_text() + "# another one\n")
    # a relative path is meant from where the user stands
    assert sandbox("run", cwd=str(sandbox.bin), PYTHON="./mine").returncode == 0
    assert sandbox.calls() == [VENV, INSTALL + ".", RUN]
    assert sandbox("run", PYTHON=str(mine)).returncode == 0
    assert sandbox.calls() == [RUN]


def test_a_chosen_python_that_does_not_exist(sandbox: Sandbox) -> None:
    sandbox.python()
    done = sandbox("run", PYTHON="/nowhere/python")
    assert done.returncode == 1
    assert done.stderr == ("setup: PYTHON=/nowhere/python is not Python 3.11 or newer with venv; it does not run\n")
