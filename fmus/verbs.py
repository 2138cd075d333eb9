"""The verbs ``build`` and ``info``; what they do is imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

build = Verb(
    help="build validated FMUs from blocks",
    example="drawbar build HmmwvVehicle --platform win64 --platform linux64 --out fmus-built",
    configure=later("drawbar.fmus.commands:configure_build"),
    call=later("drawbar.fmus.commands:call_build"),
)
info = Verb(
    help="show the variables, units, rates and direct feedthrough of a block or an FMU",
    example="drawbar info SingleTrack",
    configure=later("drawbar.fmus.commands:configure_info"),
    call=later("drawbar.fmus.commands:call_info"),
)
