"""The product by hand."""

from typing import Any

from drawbar.blocks.signals.product import Product


def test_a_product_with_one_factor_unconnected_is_the_other(bench: Any) -> None:
    assert bench(Product).out(u_1=5.0, u_2=-2.0) == {"y": -10.0}
    assert bench(Product).out(u_1=5.0) == {"y": 5.0}
