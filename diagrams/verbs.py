"""The verbs ``check``, ``list``, ``pack`` and ``diff``; their code is imported when they are called."""

from __future__ import annotations

from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb

check = Verb(
    help="report every fault of a diagram at once",
    example="drawbar check double_lane_change",
    configure=later("drawbar.diagrams.commands:configure_check"),
    call=later("drawbar.diagrams.commands:call_check"),
)
list_ = Verb(
    help="list blocks, diagrams and FMUs",
    example="drawbar list",
    configure=later("drawbar.diagrams.commands:add_workspace"),
    call=later("drawbar.diagrams.commands:call_list"),
)
pack_ = Verb(
    help="pack a diagram with all it needs into one .ssp file",
    example="drawbar pack double_lane_change --platform win64 --platform linux64 --out double_lane_change.ssp",
    configure=later("drawbar.diagrams.commands:configure_pack"),
    call=later("drawbar.diagrams.commands:call_pack"),
)
diff = Verb(
    help="say in words what changed between two diagrams; exit code 1 where they differ",
    example="drawbar diff before.ssd after.ssd",
    configure=later("drawbar.diagrams.commands:configure_diff"),
    call=later("drawbar.diagrams.commands:call_diff"),
)
