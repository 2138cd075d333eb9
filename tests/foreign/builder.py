"""FMUs that carry nothing of Drawbar: C beside this file, compiled and zipped with a model description of its own.

    build(folder, "spy", canInterpolateInputs=True, minimum={"u": -1.0})

It stands alone, so that tests of any folder and scripts can load it by its path (README.md). What a description says
and what the C code is compiled with come from the same tables below.
"""

from __future__ import annotations

import hashlib
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from drawbar.blocks.core.errors import did_you_mean
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.loading.archive import write_archive
from drawbar.fmus.toolchain.cache import cached_library
from drawbar.fmus.toolchain.compilers import FLAGS, find_compiler, host_platform, library_suffix

HERE = Path(__file__).parent
# what `fault` of misbehaving.c means
FAULTS = {
    "none": 0,
    "crash": 1,  # a write through a null pointer
    "exit_process": 2,  # exit(3)
    "hang": 3,
    "error": 4,  # after a message
    "discard": 5,  # half of the step is done
    "warning": 6,  # legal: it goes on
    "not_a_number": 7,
    "abort": 8,
    "logger_flood": 9,  # 200 messages of 10 kB a step, and all is well
    "pending": 10,
    "fatal": 11,
    "stack_overflow": 12,
    "crash_in_exit_initialization": 13,
    "hang_in_enter_initialization": 14,
    "infinite": 15,
    "stdout_flood": 16,  # 1000 lines a step
    "crash_in_terminate": 17,
    "hang_in_free": 18,
    "heap_damage": 19,  # glibc ends the process at the next free
    "crash_in_get": 20,
    "error_in_set": 21,
    "crash_in_status": 22,  # a discard, and then a crash when asked for fmi2LastSuccessfulTime
    "hang_in_status": 23,
    "discard_and_crash_in_free": 24,
    "error_after_many_messages": 25,  # 300 messages, the cause, and one more
    "crash_after_messages": 26,  # twelve messages
    "warning_with_status_ok": 27,  # a message with the status warning; the step itself returns OK
}
# attributes of <CoSimulation> and what they are if left out
ATTRIBUTES = {
    "needsExecutionTool": False,
    "canHandleVariableCommunicationStepSize": True,
    "canInterpolateInputs": False,
    "canBeInstantiatedOnlyOncePerProcess": False,
    "canNotUseMemoryManagementFunctions": True,
    "providesDirectionalDerivative": False,
}
UNITS = {
    "s": 's="1"',
    "m": 'm="1"',
    "m/s": 'm="1" s="-1"',
    "kg": 'kg="1"',
    "N": 'kg="1" m="1" s="-2"',
    "N/m": 'kg="1" s="-2"',
    "N.s/m": 'kg="1" s="-1"',
}


class Variable(NamedTuple):
    """A scalar variable; its value reference is its place in the table.

    `access` is one of i (input), f (fixed parameter), t (tunable parameter), x (output that starts exactly there), o
    (output that is calculated); `depends` are the inputs that an output feeds through from, `initially` what else it
    follows from during initialization.
    """

    name: str
    access: str
    start: float = 0.0
    type: str = "Real"
    unit: str = ""
    depends: tuple[str, ...] = ()
    initially: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


def _lag(*more: Variable) -> tuple[Variable, ...]:
    return (Variable("u", "i"), Variable("y", "x"), Variable("T", "f", 0.1, unit="s"), *more)


def _count(name: str) -> Variable:
    return Variable(name, "x", type="Integer")


_SIDE = (
    Variable("x", "x", unit="m"),
    Variable("v", "x", unit="m/s"),
    Variable("m", "f", 1.0, unit="kg"),
    Variable("k", "f", 10.0, unit="N/m"),
    Variable("c", "f", unit="N.s/m"),
    Variable("rest", "f", unit="m"),
)
VARIABLES = {
    "misbehaving": _lag(_count("steps"), Variable("fault", "t", type="Integer"), Variable("at", "t", unit="s")),
    "spy": _lag(
        Variable("y2", "o", depends=("u",), initially=("y", "d")),
        Variable("d", "t", 1.0),
        Variable("method", "t", 1, type="Enumeration"),
        Variable("used", "x"),  # the input at the beginning of the last step
        Variable("du", "x"),  # its derivative there
        Variable("h", "x", unit="s"),  # the last step
        *(_count(name) for name in ("violations", "gets", "sets", "steps")),
    ),
    "through": (
        Variable("u", "i"),
        Variable("y", "o", depends=("u",), initially=("u",)),
        Variable("first", "x"),
        Variable("last", "x"),
    ),
    "clock": (Variable("y", "x"),),
    "oscillator1": (Variable("F", "i", unit="N"), *_SIDE),
    "oscillator2": (
        Variable("x1", "i", unit="m"),
        Variable("v1", "i", unit="m/s"),
        Variable("F", "o", unit="N", depends=("x1", "v1"), initially=("x", "v", "k2", "c2")),
        *_SIDE,
        Variable("k2", "f", 10.0, unit="N/m"),
        Variable("c2", "f", unit="N.s/m"),
    ),
}
VARIABLES["wide"] = (
    *(Variable(f"u_{i}", "i") for i in range(1000)),
    *(Variable(f"y_{i}", "x", start=float(i)) for i in range(1000)),
)
_ACCESS = {
    "i": 'causality="input"',
    "f": 'causality="parameter" variability="fixed" initial="exact"',
    "t": 'causality="parameter" variability="tunable" initial="exact"',
    "x": 'causality="output" initial="exact"',
    "o": 'causality="output" initial="calculated"',
}
_METHOD = """\
  <TypeDefinitions>
    <SimpleType name="Method">
      <Enumeration><Item name="exact" value="1"/><Item name="euler" value="2"/></Enumeration>
    </SimpleType>
  </TypeDefinitions>
"""


def build(
    folder: Path,
    source: str,
    *,
    name: str = "",
    side: int = 1,
    dependencies: bool = True,
    stepSize: float | None = None,
    starts: Mapping[str, float] | None = None,
    announced: Mapping[str, float] | None = None,
    minimum: Mapping[str, float] | None = None,
    maximum: Mapping[str, float] | None = None,
    needs: str = "",
    **attributes: bool,
) -> Path:
    """Compile `source` into the FMU ``<folder>/<name>.fmu`` and return its path.

    `source` is "misbehaving", "spy", "through", "clock", "wide" or "oscillator".
    `name` is also the model identifier, by default that of the source, with its `side` (1 or 2) for the oscillator.
    Without `dependencies` the description leaves those of outputs out. `stepSize` goes into the default experiment;
    with canHandleVariableCommunicationStepSize=False the FMU refuses every other step, or, where no `stepSize` is
    given, every step that differs from its first.
    `starts`, `minimum` and `maximum` by variable replace what the tables say; `announced` start values stand in the
    description only, and the FMU knows nothing of them. `needs` is the file name of a library that the FMU is linked
    to and that is nowhere. `attributes` are those of <CoSimulation> by their FMI names; what is not
    offered is an error when called. ``ValueError`` for a choice that does not exist.
    """
    model = f"{source}{side}" if source == "oscillator" else source
    if model not in VARIABLES:
        raise ValueError(f"model '{model}'{did_you_mean(model, VARIABLES)}")
    for attribute in attributes:
        if attribute not in ATTRIBUTES:
            raise ValueError(f"attribute '{attribute}'{did_you_mean(attribute, ATTRIBUTES)}")
    can = ATTRIBUTES | attributes
    variables = _chosen(model, starts or {}, minimum or {}, maximum or {})
    name = name or model
    told = _with_starts(variables, announced or {})
    xml = _description(name, told, can, dependencies, stepSize)
    files = {file: (HERE / file).read_text("utf-8") for file in (f"{source}.c", "fmu.c", "fmu.h")}
    choices = _choices(variables, can, stepSize, side)
    digest = hashlib.sha256("\0".join([xml, choices, needs, *files.values()]).encode()).hexdigest()
    guid = re.sub(r"(.{8})(.{4})(.{4})(.{4})(.{12}).*", r"{\1-\2-\3-\4-\5}", digest)
    files |= fmi_headers() | {"choices.h": f'#define GUID "{guid}"\n{choices}'}
    library = _compile(files, [f"{source}.c", "fmu.c"], name, needs)
    path = folder / f"{name}.fmu"
    binary = f"binaries/{host_platform()}/{name}{library_suffix()}"
    write_archive(path, {"modelDescription.xml": xml.replace("GUID", guid).encode(), binary: library})
    return path


def variants(folder: Path, source: str) -> list[Path]:
    """Compile `source` into eight FMUs, ``<source>0`` to ``<source>7``, with every combination of capabilities."""
    return [
        build(
            folder,
            source,
            name=f"{source}{i}",
            canInterpolateInputs=bool(i & 1),
            providesDirectionalDerivative=bool(i & 2),
            dependencies=bool(i & 4),
        )
        for i in range(8)
    ]


def _chosen(
    model: str, starts: Mapping[str, float], minimum: Mapping[str, float], maximum: Mapping[str, float]
) -> list[Variable]:
    table = _with_starts(VARIABLES[model], starts)
    _check_names(table, [*minimum, *maximum])
    return [v._replace(minimum=minimum.get(v.name), maximum=maximum.get(v.name)) for v in table]


def _with_starts(variables: Sequence[Variable], starts: Mapping[str, float]) -> list[Variable]:
    _check_names(variables, starts)
    return [v._replace(start=starts.get(v.name, v.start)) for v in variables]


def _check_names(variables: Sequence[Variable], names: Iterable[str]) -> None:
    valid = [v.name for v in variables]
    for name in names:
        if name not in valid:
            raise ValueError(f"there is no variable '{name}'{did_you_mean(name, valid)}")


def _choices(variables: list[Variable], can: Mapping[str, bool], step: float | None, side: int) -> str:
    """The header that the C code is compiled with."""
    letters = "".join("I" if v.type == "Enumeration" else v.type[0] for v in variables)
    return f"""\
#define N_VARIABLES {len(variables)}
#define SIDE {side}
#define ONE_STEP {int(not can["canHandleVariableCommunicationStepSize"])}
#define STEP_SIZE {float(step or 0.0)!r}
#define ONCE {int(can["canBeInstantiatedOnlyOncePerProcess"])}
#define INTERPOLATES {int(can["canInterpolateInputs"])}
#define DIRECTIONAL {int(can["providesDirectionalDerivative"])}
enum {{ {", ".join(f"V_{v.name}" for v in variables)} }};
enum {{ {", ".join(f"{name.upper()} = {number}" for name, number in FAULTS.items())} }};
static const char types[] = "{letters}", kinds[] = "{"".join(v.access for v in variables)}";
static const double starts[] = {{{", ".join(repr(float(v.start)) for v in variables)}}};
"""


def _description(
    name: str, variables: list[Variable], can: Mapping[str, bool], dependencies: bool, step: float | None
) -> str:
    capabilities = "".join(f'\n    {attribute}="{str(value).lower()}"' for attribute, value in can.items())
    units = sorted({v.unit for v in variables if v.unit})
    index = {v.name: i for i, v in enumerate(variables, 1)}
    outputs, unknowns = [], []
    for v in variables:
        entry = _unknown(index[v.name], [index[d] for d in v.depends] if dependencies else None)
        if v.access in "xo":
            outputs.append(entry)
        if v.access == "o":
            known = [index[d] for d in (*v.depends, *v.initially)]
            unknowns.append(_unknown(index[v.name], sorted(known) if dependencies else None))
    structure = f"    <Outputs>\n{''.join(outputs)}    </Outputs>\n"
    if unknowns:
        structure += f"    <InitialUnknowns>\n{''.join(unknowns)}    </InitialUnknowns>\n"
    defined = "".join(f'    <Unit name="{u}"><BaseUnit {UNITS[u]}/></Unit>\n' for u in units)
    if defined:
        defined = f"  <UnitDefinitions>\n{defined}  </UnitDefinitions>\n"
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="GUID"
    generationTool="by hand" variableNamingConvention="flat" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="{name}"{capabilities}/>
{defined}{_METHOD if any(v.type == "Enumeration" for v in variables) else ""}\
{"" if step is None else f'  <DefaultExperiment startTime="0" stepSize="{step!r}"/>{chr(10)}'}\
  <ModelVariables>
{"".join(_variable(v, i) for i, v in enumerate(variables))}  </ModelVariables>
  <ModelStructure>
{structure}  </ModelStructure>
</fmiModelDescription>
"""


def _unknown(index: int, known: list[int] | None) -> str:
    said = "" if known is None else f' dependencies="{" ".join(map(str, known))}"'
    return f'      <Unknown index="{index}"{said}/>\n'


def _variable(v: Variable, reference: int) -> str:
    number = float if v.type == "Real" else int
    facts = {
        "declaredType": "Method" if v.type == "Enumeration" else None,
        "unit": v.unit or None,
        "min": None if v.minimum is None else number(v.minimum),
        "max": None if v.maximum is None else number(v.maximum),
        "start": None if v.access == "o" else number(v.start),
    }
    said = "".join(f" {key}={quoteattr(str(fact))}" for key, fact in facts.items() if fact is not None)
    discrete = ' variability="discrete"' if v.type == "Integer" and v.access == "x" else ""
    return (
        f'    <ScalarVariable name="{v.name}" valueReference="{reference}" {_ACCESS[v.access]}{discrete}>'
        f"<{v.type}{said}/></ScalarVariable>\n"
    )


def _compile(files: dict[str, str], sources: list[str], name: str, needs: str) -> bytes:
    compiler = find_compiler()
    if compiler is None:
        raise ValueError("no C compiler: tests that build foreign FMUs are marked `compiler`")
    call = [*compiler.command, *FLAGS, *(("-fPIC",) if platform.system() != "Windows" else ())]
    linked = ["-Wl,--no-as-needed", f"./{needs}"] if needs else []
    command = [*call, *sources, "-o", name, *linked, "-lm"]

    def make(scratch: Path) -> None:
        if needs:
            (scratch / "needed.c").write_text("int needed;\n")
            _run([*call, "needed.c", "-o", needs, f"-Wl,-soname,{needs}"], scratch)
        _run(command, scratch)

    # many tests build the same one
    return cached_library([compiler.identity, *command], files, name, make).read_bytes()


def _run(command: list[str], folder: Path) -> None:
    """Run a compiler, its complaint being the error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
