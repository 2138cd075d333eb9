"""The command ``drawbar``: finds the verbs of all packages and calls them; the verbs of this package."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points, version
from typing import NoReturn, TextIO

from drawbar.blocks.core.errors import DrawbarError, RunError, UsageError, did_you_mean
from drawbar.blocks.core.interruption import acknowledge, is_interrupted
from drawbar.blocks.core.lazy import later
from drawbar.blocks.core.verb import Verb
from drawbar.orchestrator.supervision import standard_streams

GROUP = "drawbar.commands"

run = Verb(
    help="run a diagram, print its report and write its plot page",
    example="drawbar run double_lane_change --set speed.gain=2 --out runs/stiffer",
    configure=later("drawbar.orchestrator.cli.run_command:configure"),
    call=later("drawbar.orchestrator.cli.run_command:call"),
)
compare = Verb(
    help="compare two runs signal by signal, within max(abs, rel*|baseline|)",
    example="drawbar compare runs/cart-001 runs/cart-002 --rel 0.01",
    configure=later("drawbar.orchestrator.cli.compare_command:configure"),
    call=later("drawbar.orchestrator.cli.compare_command:call"),
)
export = Verb(
    help="write the signals of a run as CSV tables, a MAT file or an MCAP file",
    example="drawbar export runs/double_lane_change-001 --mat --record 'vehicle.*'",
    configure=later("drawbar.orchestrator.cli.export_command:configure"),
    call=later("drawbar.orchestrator.cli.export_command:call"),
)
doctor = Verb(
    help="show the compiler, platforms, cache and libraries of this machine",
    example="drawbar doctor",
    configure=later("drawbar.orchestrator.cli.doctor_command:configure"),
    call=later("drawbar.orchestrator.cli.doctor_command:call"),
)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors have the form of all errors of Drawbar."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the option at fault and how to see the others."""
        text = message.removeprefix("argument ")
        for kind, words in (("int", "a whole number"), ("float", "a number")):
            text = re.sub(rf"invalid {kind} value: (.*)", rf"\1 is not {words}", text)
        raise UsageError(f"{text} ({self.prog} --help shows the options)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Call one verb and return the exit code: 0 for success, 1 for a fault in the model, 2 for wrong usage."""
    try:
        code = _dispatch(list(sys.argv[1:] if arguments is None else arguments))
    except BrokenPipeError:
        code = 0
    except OSError:
        if standard_streams.is_writable():
            raise
        code = 1
    return standard_streams.flushed_exit_code(code)


def _dispatch(words: list[str]) -> int:
    verbs = {entry.name: entry for entry in entry_points(group=GROUP)}
    if words[:1] == ["--version"]:
        print(f"drawbar {version('drawbar')}")
        return 0
    if not words or words[0] in ("-h", "--help", "help"):
        _overview(verbs, sys.stdout if words else sys.stderr)
        return 0 if words else 2
    name = words[0]
    if name not in verbs:
        standard_streams.print_error(f"there is no verb '{name}'{did_you_mean(name, verbs)}")
        return 2
    return _call(name, verbs[name].load(), words[1:])


def _overview(verbs: dict[str, EntryPoint], out: TextIO) -> None:
    print(
        "usage: drawbar VERB [options]\n\nCouple the subsystems of a ground vehicle as FMUs on a block diagram.\n",
        file=out,
    )
    for name in sorted(verbs):
        print(f"  {name:8} {verbs[name].load().help}", file=out)
    print("\n`drawbar VERB --help` shows the options of a verb, with an example.", file=out)


def _call(name: str, verb: Verb, words: list[str]) -> int:
    parser = _Parser(
        prog=f"drawbar {name}",
        description=verb.help,
        epilog=f"example: {verb.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verb.configure(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
    try:
        options = parser.parse_args(words)
    except SystemExit as stop:  # argparse has printed the help
        return int(stop.code or 0)
    except UsageError as error:
        if "--json" in words:
            standard_streams.print_json_outcome("error", str(error))
        standard_streams.print_error(str(error))
        return error.exit_code
    try:
        return verb.call(options)
    except KeyboardInterrupt:
        return _interrupted(options.json)
    except DrawbarError as error:
        if is_interrupted() and not isinstance(error, RunError):
            return _interrupted(options.json)
        if options.debug:
            raise
        if options.json:
            standard_streams.print_json_outcome("failed" if isinstance(error, RunError) else "error", str(error))
        standard_streams.print_error(str(error))
        return error.exit_code
    except OSError as error:
        if options.debug or isinstance(error, BrokenPipeError) or not standard_streams.is_writable():
            raise
        standard_streams.print_error(f"{error.filename or 'file'}: {error.strerror or error}")
        return 1
    except Exception as error:
        if is_interrupted():  # a library has made an error of its own of it
            return _interrupted(options.json)
        if options.debug:
            raise
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        standard_streams.print_error(
            f"{type(error).__name__}: {text} (a fault in Drawbar itself; "
            "run again with --debug and report the traceback)"
        )
        return 1
    finally:
        acknowledge()


def _interrupted(as_json: bool) -> int:
    """Print that the verb was interrupted, and return the exit code."""
    if as_json:
        standard_streams.print_json_outcome("error", "interrupted")
    standard_streams.print_error("interrupted")
    return 1
