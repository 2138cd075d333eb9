"""The example of the README defines a block."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from drawbar import blocks
from drawbar.blocks.signals.first_order_lag import FirstOrderLag


def test_the_example_is_the_block_that_comes_with_drawbar() -> None:
    text = (Path(str(files(blocks))) / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, Any] = {}
    for example in examples:
        exec(example, names)
    assert names["FirstOrderLag"].interface() == FirstOrderLag.interface()
