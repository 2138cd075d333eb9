"""The C of a vectorized function: packs as operations on vectors, what is in no pack as operations on numbers.

Vectors are of the type and the macros of ``runtime/vectors.h``. Each node of the graph and each vector is a constant
that is written once, after its operands.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

import casadi as ca

from drawbar.blocks.core.atomic_write import save
from drawbar.blocks.core.cache import cache_folder, make_cache_folder
from drawbar.fmus.runtime.constants import SIGNATURE
from drawbar.fmus.toolchain.cache import cache_miss
from drawbar.fmus.vectorize.graph import LEAVES, Ref, read
from drawbar.fmus.vectorize.operations import SCALAR, VECTOR
from drawbar.fmus.vectorize.packs import WIDTH, Nodes, Packs, Signs
from drawbar.fmus.vectorize.search import find_packs

Item = int | Nodes  # a scalar, or a vector

WRITABLE = {*SCALAR, ca.OP_ADD}  # operations that can be written
MIN_SAVING = 0.2  # of all operations, for which it pays to leave CasADi's own code


class CycleError(Exception):
    """Packs depend on lanes of each other in a cycle; `nodes` is one of them."""

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes)
        self.nodes = nodes


class Writer:
    """Writes the statements that compute the outputs of a graph, by its packs."""

    def __init__(self, packs: Packs) -> None:
        self.packs, self.graph = packs, packs.graph
        self.lines: list[str] = []
        self._names: dict[object, str] = {}

    def body(self) -> str:
        """Return all statements; raise `CycleError` where packs depend on each other."""
        for (result, entry), ref in self.graph.outputs.items():
            self._compute(ref.node)
            sign = "-" if ref.negative else ""
            self.lines.append(f"res[{result}][{entry}] = {sign}{self._names[ref.node]};")
        return "".join(f"    {line}\n" for line in self.lines)

    def _compute(self, item: Item) -> None:
        """Write an item after all that it depends on."""
        stack: list[tuple[Item, Iterator[Item]]] = []
        under_way: set[Item] = set()

        def enter(item: Item) -> None:
            if item in self._names:
                return
            if item in under_way:
                raise CycleError(next(i for i, _ in reversed(stack) if isinstance(i, tuple) and i in self.packs.at))
            under_way.add(item)
            stack.append((item, iter(self._needs(item))))

        enter(item)
        while stack:
            current, needs = stack[-1]
            needed = next(needs, None)
            if needed is not None:
                enter(needed)
                continue
            stack.pop()
            under_way.discard(current)
            if isinstance(current, tuple):
                self._write_vector(current)
            else:
                self._write_scalar(current)

    def _needs(self, item: Item) -> list[Item]:
        """Return what has to be written before an item.

        For a node in a pack it is the pack, for a gathered vector its numbers, else the operands.
        """
        if isinstance(item, tuple):
            if (pack := self.packs.at.get(item)) is not None:
                return [nodes for nodes, _ in pack.operands]
            if self._is_loaded(item):
                return []
            return [node for node in dict.fromkeys(item) if not self._is_number(node)]
        if (owner := self.packs.owner.get(item)) is not None:
            return [owner]
        return [r.node for r in self.graph.operands[item]]

    def _write_scalar(self, node: int) -> None:
        """Write a number: a constant, an entry of an argument, a lane of a pack, or the result of an operation."""
        graph = self.graph
        operation, operands = graph.operations[node], graph.operands[node]
        if operation == ca.OP_CONST:
            self._names[node] = number(graph.numbers[node])
            return
        if operation == ca.OP_INPUT:
            text = self._place(node)
        elif (owner := self.packs.owner.get(node)) is not None:
            text = f"lane_get({self._names[owner]}, {owner.index(node)})"
        elif operation == ca.OP_ADD:
            text = _sum(*(self._signed(r) for r in operands))
        else:
            text = SCALAR[operation].format(*("".join(self._signed(r)) for r in operands))
        self._names[node] = f"a{node}"
        self.lines.append(f"const double a{node} = {text};")

    def _write_vector(self, nodes: Nodes) -> None:
        """Write a vector: one number in all lanes, gathered numbers, or the result of a pack's operation."""
        pack = self.packs.at.get(nodes)
        if len(set(nodes)) == 1:
            text = f"lane_all({self._scalar(nodes[0])})"
        elif pack is None:
            text = self._gathered(nodes)
        elif pack.operation == ca.OP_ADD:
            text = self._vector_sum(*pack.operands)
        else:
            text = VECTOR[pack.operation].format(*(self._flipped(*operand) for operand in pack.operands))
        self._name_vector(nodes, text)

    def _name_vector(self, key: object, text: str) -> str:
        name = self._names[key] = f"v{len(self._names)}"
        self.lines.append(f"const lane {name} = {text};")
        return name

    def _gathered(self, nodes: Nodes) -> str:
        """Return a vector of numbers: loaded at once where they are adjacent in an argument."""
        if self._is_loaded(nodes):
            return f"lane_load(&{self._place(nodes[0])})"
        return f"lane_of({', '.join(self._scalar(node) for node in nodes)})"

    def _is_loaded(self, nodes: Nodes) -> bool:
        """Return whether the nodes are adjacent inputs."""
        if any(node not in self.graph.places for node in nodes):
            return False
        places = [self.graph.places[node] for node in nodes]
        argument, entry = places[0]
        return places == [(argument, entry + lane) for lane in range(WIDTH)]

    def _is_number(self, node: int) -> bool:
        return node in self.graph.numbers

    def _scalar(self, node: int) -> str:
        return number(self.graph.numbers[node]) if self._is_number(node) else self._names[node]

    def _place(self, node: int) -> str:
        """Return the C expression of an input."""
        argument, entry = self.graph.places[node]
        return f"arg[{argument}][{entry}]"

    def _signed(self, ref: Ref) -> tuple[str, str]:
        """Return sign and name of an operand."""
        return ("-" if ref.negative else "", self._names[ref.node])

    def _vector_sum(self, a: tuple[Nodes, Signs], b: tuple[Nodes, Signs]) -> str:
        """Return the sum of two vectors; a difference where one of them is negated in all lanes."""
        if all(b[1]) and not all(a[1]):
            return f"lane_sub({self._flipped(*a)}, {self._names[b[0]]})"
        if all(a[1]):
            return f"lane_sub({self._flipped(*b)}, {self._names[a[0]]})"
        return f"lane_add({self._flipped(*a)}, {self._flipped(*b)})"

    def _flipped(self, nodes: Nodes, signs: Signs) -> str:
        """Return the name of a vector with some lanes negated."""
        name = self._names[nodes]
        if not any(signs):
            return name
        key = (nodes, signs)
        if key not in self._names:
            bits = ", ".join("-0.0" if negative else "0.0" for negative in signs)
            self._name_vector(key, f"lane_neg({name})" if all(signs) else f"lane_flip({name}, lane_of({bits}))")
        return self._names[key]


def _sum(a: tuple[str, str], b: tuple[str, str]) -> str:
    """Return the sum of two numbers, given by sign and name, as a sum or a difference."""
    if a[0] and not b[0]:
        return f"{b[1]} - {a[1]}"
    return f"{''.join(a)} {'-' if b[0] else '+'} {b[1]}"


def number(value: float) -> str:
    """Return a number in the form that C reads back exactly."""
    if math.isnan(value):
        return "NAN"
    return "INFINITY" if math.isinf(value) else repr(value)


def vectorize(function: ca.Function) -> str | None:
    """Return a function as C with the signature of kernels.

    It is None where vectors save too little or an operation is unknown. The function is called
    ``VECTORIZED(name)``, as it is compiled once for each kind of processor.
    """
    graph = read(function)
    operations = [op for op in graph.operations if op not in LEAVES]
    if not WRITABLE.issuperset(operations):
        return None
    packs = find_packs(graph)
    body = None
    while body is None:
        try:
            body = Writer(packs).body()
        except CycleError as cycle:
            packs.drop(cycle.nodes)
    if len(packs.owner) - len(packs.at) < MIN_SAVING * len(operations):
        return None
    head = f"VECTORIZED_TARGET static {SIGNATURE.format(f'VECTORIZED({function.name()})')}"
    return f"{head} {{\n    (void) iw, (void) w, (void) mem;\n{body}    return 0;\n}}\n"


def cached_vector_code(function: ca.Function) -> str | None:
    """Return the result of `vectorize`, from the cache if the same function was requested before."""
    generator = ca.CodeGenerator("function.c", {"with_header": False})
    generator.add(function)
    key = hashlib.sha256(f"{SIGNATURE}\0{_package_text()}\0{generator.dump()}".encode()).hexdigest()[:32]
    stored = cache_folder() / "vectorized" / f"{key}.c"
    if not stored.is_file():
        cache_miss()
        text = vectorize(function) or ""
        make_cache_folder(stored.parent)
        save(stored, text)
    return stored.read_text("utf-8") or None


@lru_cache(maxsize=1)
def _package_text() -> str:
    """Return the text of this package, so that another version of it uses nothing that this one has stored."""
    files = sorted(resources.files("drawbar.fmus.vectorize").iterdir(), key=lambda file: file.name)
    return "\0".join(file.read_text("utf-8") for file in files if file.name.endswith(".py"))
