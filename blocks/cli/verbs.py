"""The verbs ``new`` and ``terrain``; their implementations are imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

new = Verb(
    help="write a new block with a test that passes at once, or the files of a new vehicle",
    example="drawbar new block BrakeValve --kind sampled --folder brakes",
    configure=later("drawbar.blocks.cli.new:configure"),
    call=later("drawbar.blocks.cli.new:call"),
)
terrain = Verb(
    help="make an elevation map and its block: a rough road, an obstacle, a height map or a mesh",
    example="drawbar terrain half-round --radius 0.2 --wheel-radius 0.47 --out round",
    configure=later("drawbar.blocks.cli.terrain:configure"),
    call=later("drawbar.blocks.cli.terrain:call"),
)
