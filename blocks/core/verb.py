"""A verb of the ``drawbar`` command line, as a package registers it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A verb registered in the entry-point group ``drawbar.commands``.

    `configure` adds the verb's arguments; the dispatcher adds ``--json`` and ``--debug``. `call` returns the exit
    code: 0 good, 1 a fault in the model, 2 wrong usage.
    """

    help: str
    example: str
    configure: Callable[[argparse.ArgumentParser], None]
    call: Callable[[argparse.Namespace], int]
