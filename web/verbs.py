"""The verbs ``plot``, ``view`` and ``docs``; their implementations are imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

plot = Verb(
    help="write the page of a run: plots, responses, header, in one HTML file that opens offline",
    example="drawbar plot runs/double_lane_change-001 --signals 'vehicle.wheel_load' vehicle.roll --png loads.png",
    configure=later("drawbar.web.commands:configure"),
    call=later("drawbar.web.commands:call"),
)
view = Verb(
    help="see runs and diagrams in the browser of this machine: signals, plots, overlay, a run in progress",
    example="drawbar view\n         drawbar view runs/double_lane_change-001 --no-browser\n"
    "         drawbar view double_lane_change --svg double_lane_change.svg",
    configure=later("drawbar.web.view_command:configure"),
    call=later("drawbar.web.view_command:call"),
)
docs = Verb(
    help="write the reference of all blocks: law, ports, units of measure and picture, in one HTML file that opens "
    "offline; --json prints it as data",
    example="drawbar docs --workspace . --out reference",
    configure=later("drawbar.web.docs_command:configure"),
    call=later("drawbar.web.docs_command:call"),
)
