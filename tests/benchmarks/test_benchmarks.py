"""The benchmarks run and print their contract; no test asserts a time."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.compiler, pytest.mark.slow]


def result(name: str, *words: str) -> dict[str, Any]:
    script = Path(__file__).with_name(name)
    done = subprocess.run([sys.executable, str(script), "--json", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_master() -> None:
    found = result("master.py", "--steps", "2000")
    assert {"bare_c_us", "drawbar_us", "fmpy_us", "ratio_to_bare", "ratio_to_fmpy"} < set(found)
    assert found["ring_end"] == pytest.approx(1.0, abs=1e-14)


def test_backends() -> None:
    found = result("backends.py")
    assert {"interpreted_us", "native_us", "fmu_us"} < set(found)
    assert found["largest_difference"] < 1e-12
