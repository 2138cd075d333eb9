"""A block compiled for this machine and run in-process, without a zip in between.

The library is the one in the block's FMU, driven through the same functions.
"""

from __future__ import annotations

from drawbar.blocks.authoring.block import Block
from drawbar.fmus.backends.instance import FmuInstance
from drawbar.fmus.export.derivatives import state_derivatives
from drawbar.fmus.export.package import compile_block
from drawbar.fmus.loading.description import Description, Scalar
from drawbar.fmus.loading.messages import Log


def native_instance(block: type[Block], name: str, log: Log | None = None) -> FmuInstance:
    """Compile a block, or take it from the cache, and instantiate it; raise ``BuildError`` without a compiler."""
    compiled = compile_block(block)
    model = compiled.model
    types = [port.type for port in model.ports for _ in range(port.size)]
    names = [scalar for port in model.ports for scalar in port.scalar_names()]
    description = Description(
        folder=compiled.library.parent,
        guid=compiled.sources.guid,
        identifier=model.name,
        interface=model.interface,
        scalars={n: Scalar(n, i, kind) for i, (n, kind) in enumerate(zip(names, types, strict=True))}
        | {rate.name: Scalar(rate.name, rate.reference, "Real") for rate in state_derivatives(model)},
    )
    return FmuInstance(description, name, compiled.library, log)
