"""What is kept of lanes is found again, until what it was made with is another."""

from pathlib import Path

import casadi as ca
import pytest

from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.vectorize import cache, code
from drawbar.fmus.vectorize.cache import cached_vector_code


def test_code_of_another_signature_is_not_taken_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAWBAR_CACHE", str(tmp_path))
    x = ca.SX.sym("x", 4)
    function = ca.Function("alike", [x], [ca.vertcat(*(ca.sqrt(x[i] * x[i] + 1) * x[i] for i in range(4)))])
    before = cached_vector_code(function)
    assert before is not None
    assert cached_vector_code(function) == before
    assert len(list((tmp_path / "lanes").iterdir())) == 1
    other = SIGNATURE.replace("int mem", "int memory")
    for module in (code, cache):
        monkeypatch.setattr(module, "SIGNATURE", other)
    after = cached_vector_code(function)
    assert after is not None
    assert "int memory" in after and "int memory" not in before
