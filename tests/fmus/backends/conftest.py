from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from drawbar.blocks import FmuError


@pytest.fixture(scope="session")
def start_failure() -> Callable[..., str]:
    """Return the message with which an instance of a block refuses to start."""

    def message(make: Any, block: Any, starts: dict[str, float], name: str = "root") -> str:
        instance = make(block, name)
        instance.initialize(0.0, starts)
        with pytest.raises(FmuError) as caught:
            instance.start()
        instance.close()
        return str(caught.value)

    return message
