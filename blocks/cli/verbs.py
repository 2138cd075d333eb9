"""The verbs ``new`` and ``terrain``; their implementations are imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

new = Verb(
    help="write a block and a test of it that pass at once, or a vehicle file and its body, to begin from",
    example="drawbar new block BrakeValve --kind sampled --folder brakes",
    configure=later("drawbar.blocks.cli.new:configure"),
    call=later("drawbar.blocks.cli.new:call"),
)
terrain = Verb(
    help="make a map of the ground: a rough road, an obstacle, a height map or a mesh, and the block that carries it",
    example="drawbar terrain half-round --radius 0.2 --wheel-radius 0.47 --out round",
    configure=later("drawbar.blocks.cli.terrain:configure"),
    call=later("drawbar.blocks.cli.terrain:call"),
)
