from pathlib import Path

import pytest

from drawbar.blocks.authoring.registry import block_class, open_workspace

open_workspace(Path(__file__).parent / "workspace")


@pytest.fixture
def block():
    """Find a block of the test workspace by its class name."""
    return lambda name: block_class(f"bench_blocks:{name}")
