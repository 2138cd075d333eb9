"""The ways to run a diagram that must all give the same rows."""

import pytest

ENGINES = [
    pytest.param(("fmu", "c"), marks=pytest.mark.compiler),
    pytest.param(("fmu", "python"), marks=pytest.mark.compiler),
    ("interpreted", "python"),
]


@pytest.fixture(params=ENGINES, ids=lambda p: "-".join(p))
def how(request: pytest.FixtureRequest) -> dict[str, str]:
    backend, engine = request.param
    return {"backend": backend, "engine": engine}
