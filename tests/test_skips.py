"""A test that cannot run here says so, and in CI that is a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import pytest

@pytest.mark.browser
def test_page():
    raise AssertionError("ran without a browser")

@pytest.mark.browser
def test_other_page():
    raise AssertionError("ran without a browser")

def test_plain():
    pass
"""


def run_suite(clone: Path, folder: Path, suite: str = SUITE, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a small suite under this project's conftest and pytest options, with no browser on PATH."""
    shutil.copy(clone / "tests" / "conftest.py", folder)
    shutil.copy(clone / "pyproject.toml", folder)
    (folder / "test_it.py").write_text(suite)
    (folder / "bin").mkdir()
    kept = {k: v for k, v in os.environ.items() if k not in ("DRAWBAR_NO_SKIPS", "DRAWBAR_CACHE")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py"],
        cwd=folder,
        env={**kept, "PATH": str(folder / "bin"), **environment},
        capture_output=True,
        text=True,
    )


def test_unmet_needs_are_counted_with_what_is_missing(clone: Path, tmp_path: Path) -> None:
    done = run_suite(clone, tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 tests not run: no browser on PATH (install one of chromium," in done.stdout
    assert "1 passed, 2 skipped" in done.stdout


def test_no_skip_is_allowed_where_ci_says_so(clone: Path, tmp_path: Path) -> None:
    done = run_suite(clone, tmp_path, DRAWBAR_NO_SKIPS="1")
    assert done.returncode == 1
    assert "DRAWBAR_NO_SKIPS=1 allows no skip: failed" in done.stdout


def test_a_suite_without_skips_passes_in_ci(clone: Path, tmp_path: Path) -> None:
    done = run_suite(clone, tmp_path, "def test_plain():\n    pass\n", DRAWBAR_NO_SKIPS="1")
    assert done.returncode == 0, done.stdout
    assert "not run" not in done.stdout


def test_a_need_that_is_met_runs_the_test(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    browser = tmp_path / "tools" / "chromium"
    browser.touch(mode=0o755)
    done = run_suite(clone, tmp_path, PATH=str(tmp_path / "tools"))
    assert done.returncode == 1
    assert "2 failed, 1 passed" in done.stdout


def test_the_cache_is_the_sessions_own_and_goes_with_it(clone: Path, tmp_path: Path) -> None:
    suite = 'import os\ndef test_cache():\n    print("CACHE", os.environ["DRAWBAR_CACHE"])\n    assert 0\n'
    done = run_suite(clone, tmp_path, suite)
    (line,) = {line for line in done.stdout.splitlines() if line.startswith("CACHE ")}
    assert not Path(line.removeprefix("CACHE ")).exists()


def test_a_cache_the_user_names_is_left_alone(clone: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    suite = f'import os\ndef test_cache():\n    assert os.environ["DRAWBAR_CACHE"] == {str(own)!r}\n'
    done = run_suite(clone, tmp_path, suite, DRAWBAR_CACHE=str(own))
    assert done.returncode == 0, done.stdout
    assert own.exists()


@pytest.mark.parametrize("marker", ["compiler", "browser", "slow"])
def test_markers_are_known(pytestconfig: pytest.Config, marker: str) -> None:
    assert any(line.startswith(f"{marker}:") for line in pytestconfig.getini("markers"))
