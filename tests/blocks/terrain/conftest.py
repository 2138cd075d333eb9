"""A block of terrain, asked at places."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from drawbar.blocks.authoring.block import Block
from drawbar.fmus.native import native_instance

Array = NDArray[np.float64]


@pytest.fixture
def ask() -> Callable[..., dict[str, Any]]:
    """All outputs of a block under its front left wheel, an array over the places."""

    def asked(block: type[Block], places: Any, **values: float) -> dict[str, Any]:
        instance = native_instance(block, "a")
        names = {p.name: p.scalar_names() for p in block.interface().of("output")}
        try:
            instance.initialize(0.0, values)
            instance.start()
            rows = []
            for x, y in np.asarray(places, float).reshape(-1, 2):
                instance.set({"ground_fl.at[1]": x, "ground_fl.at[2]": y})
                rows.append([instance.get(n) for n in names.values()])
        finally:
            instance.close()
        found = {name: np.array([row[k] for row in rows]) for k, name in enumerate(names)}
        return {name.removeprefix("ground_fl."): v[:, 0] if v.shape[1] == 1 else v for name, v in found.items()}

    return asked
