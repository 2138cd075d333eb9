"""FMUs as C sources: several of them link into one program, and no compiler has anything to say."""

import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from drawbar.blocks.authoring.registry import find_block
from drawbar.fmus.backends.native import native_instance
from drawbar.fmus.export.codegen import fmi_headers
from drawbar.fmus.export.package import build

pytestmark = pytest.mark.compiler
# with its input and output: a block with functions of CasADi's own (fmax), one with none, one with a kernel in C
BLOCKS = {"Saturation": ("u", "y"), "FirstOrderLag": ("u", "y"), "RayMarch": None}
COMPILERS = [pytest.param([name], id=name) for name in ("gcc", "clang") if shutil.which(name)]
if find_spec("ziglang"):
    COMPILERS += [pytest.param([sys.executable, "-m", "ziglang", "cc"], id="zig", marks=pytest.mark.slow)]
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]
MAIN = """\
#include <stdio.h>
#include <stdlib.h>
#include "fmi2FunctionTypes.h"

static void say(void *environment, const char *name, fmi2Status status, const char *category, const char *text, ...) {
    (void) environment, (void) status, (void) category;
    fprintf(stderr, "%s: %s\\n", name, text);
}

static const fmi2CallbackFunctions callbacks = {say, calloc, free, NULL, NULL};

#define RUN(id, guid, u, y)                                                                                 \\
    fmi2Component id##_fmi2Instantiate(const char *, fmi2Type, const char *, const char *,                  \\
                                       const fmi2CallbackFunctions *, int, int);                            \\
    fmi2Status id##_fmi2EnterInitializationMode(fmi2Component);                                             \\
    fmi2Status id##_fmi2ExitInitializationMode(fmi2Component);                                              \\
    fmi2Status id##_fmi2SetReal(fmi2Component, const unsigned *, size_t, const double *);                   \\
    fmi2Status id##_fmi2GetReal(fmi2Component, const unsigned *, size_t, double *);                         \\
    fmi2Status id##_fmi2DoStep(fmi2Component, double, double, int);                                         \\
    static int run_##id(void) {                                                                             \\
        fmi2Component c = id##_fmi2Instantiate(#id, fmi2CoSimulation, guid, "", &callbacks, 0, 0);          \\
        unsigned input = u, output = y;                                                                     \\
        double value = 0.75;                                                                                \\
        int bad = !c || id##_fmi2EnterInitializationMode(c) || id##_fmi2SetReal(c, &input, 1, &value);      \\
        bad = bad || id##_fmi2ExitInitializationMode(c) || id##_fmi2DoStep(c, 0.0, 0.01, 1);                \\
        bad = bad || id##_fmi2GetReal(c, &output, 1, &value);                                               \\
        printf(#id " %.17g\\n", value);                                                                     \\
        return bad;                                                                                         \\
    }
"""


def unpacked(name: str, folder: Path) -> tuple[Path, list[str], ElementTree.Element]:
    """The sources of an FMU: their folder, the files to compile, and the model description."""
    with zipfile.ZipFile(build(find_block(name))) as fmu:
        fmu.extractall(folder / name)
    root = ElementTree.parse(folder / name / "modelDescription.xml").getroot()
    return folder / name / "sources", [f.attrib["name"] for f in root.findall("CoSimulation/SourceFiles/File")], root


def compiled(name: str, folder: Path, command: list[str], prefix: str) -> list[str]:
    """Compile the sources of an FMU and return the object files."""
    sources, files, _ = unpacked(name, folder)
    objects = [str(sources / f"{file}.o") for file in files]
    for file, target in zip(files, objects, strict=True):
        done = subprocess.run(
            [*command, f"-DFMI2_FUNCTION_PREFIX={prefix}", "-c", file, "-o", target],
            cwd=sources,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    return objects


@pytest.mark.parametrize("compiler", COMPILERS)
def test_two_fmus_run_in_one_program(compiler: list[str], tmp_path: Path) -> None:
    command = [*compiler, *FLAGS]
    objects = [o for name in BLOCKS for o in compiled(name, tmp_path, command, f"{name}_")]
    expected, text = [], MAIN
    for name, ends in BLOCKS.items():
        if ends is None:
            continue
        root = unpacked(name, tmp_path)[2]
        references = {v.attrib["name"]: v.attrib["valueReference"] for v in root.iter("ScalarVariable")}
        text += f'RUN({name}, "{root.attrib["guid"]}", {references[ends[0]]}, {references[ends[1]]})\n'
        instance = native_instance(find_block(name), name)
        instance.initialize(0.0, {ends[0]: 0.75})
        instance.start()
        assert instance.stepper()(0.0, 0.01) == 0
        expected.append(f"{name} {instance.get([ends[1]])[0]:.17g}")
        instance.close()
    text += "int main(void) { return run_Saturation() || run_FirstOrderLag(); }\n"
    for file, header in fmi_headers().items():
        (tmp_path / file).write_text(header)
    (tmp_path / "main.c").write_text(text)
    subprocess.run([*command, "main.c", *objects, "-o", "both", "-lm"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "both"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, expected, "")


@pytest.mark.skipif(shutil.which("nm") is None or shutil.which("gcc") is None, reason="symbols are listed by nm")
@pytest.mark.parametrize("name", ["SurfaceTire", "PID", "RayMarch"])
def test_every_visible_name_has_the_prefix(name: str, tmp_path: Path) -> None:
    objects = compiled(name, tmp_path, ["gcc", "-std=c99", "-O1"], f"{name}_")
    listed = subprocess.run(["nm", "-g", "--defined-only", *objects], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in listed.stdout.splitlines() if len(line.split()) == 3]
    assert f"{name}_fmi2DoStep" in names
    assert [n for n in names if not n.startswith(f"{name}_")] == []


def test_without_a_prefix_the_names_are_those_of_the_standard() -> None:
    head = fmi_headers()["fmi2Functions.h"]
    assert head.count("#define fmi2FullName(name) name") == 1
    assert head.index("#if defined(FMI2_FUNCTION_PREFIX)") < head.index("#define fmi2FullName(name) name")
