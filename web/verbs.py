"""The verbs ``plot``, ``view`` and ``docs``; their implementations are imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

plot = Verb(
    help="write the plot page of a run: one HTML file that opens offline",
    example="drawbar plot runs/double_lane_change-001 --signals 'vehicle.wheel_load' vehicle.roll --png loads.png",
    configure=later("drawbar.web.commands:configure"),
    call=later("drawbar.web.commands:call"),
)
view = Verb(
    help="view runs and diagrams in the browser: signals, plots, runs over each other, a run in progress",
    example="drawbar view\n         drawbar view runs/double_lane_change-001 --no-browser\n"
    "         drawbar view double_lane_change --svg double_lane_change.svg",
    configure=later("drawbar.web.view_command:configure"),
    call=later("drawbar.web.view_command:call"),
)
docs = Verb(
    help="write the reference of all blocks as one HTML page: law, ports, units of measure and picture",
    example="drawbar docs --workspace . --out reference",
    configure=later("drawbar.web.docs_command:configure"),
    call=later("drawbar.web.docs_command:call"),
)
