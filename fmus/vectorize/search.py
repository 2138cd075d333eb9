"""The search for packs: operations of a graph that compute the same four times.

The search starts from *seeds*, four results or other nodes that look alike, and descends through their operands. Then
it ascends: nodes that do the same to the same lanes of the same vectors belong together too. Where a sum has a term
that some lanes lack, such as the steering of the front wheels, those lanes add nothing, if that leads to more packs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

import casadi as ca

from drawbar.fmus.vectorize.graph import COMMUTATIVE, Graph
from drawbar.fmus.vectorize.packs import VECTOR_OPERATIONS, WIDTH, Nodes, Packs

DEPTH = 6  # of trees whose shapes are compared
MAX_VECTORS = 4  # vectors of one input that are looked at
LANES = tuple(1 << lane for lane in range(WIDTH))


def find_packs(graph: Graph) -> Packs:
    """Return all packs that can be found."""
    search = Search(graph)
    search.run()
    return search.packs


class Search:
    """The search in a graph; its findings are in `packs`."""

    def __init__(self, graph: Graph) -> None:
        self.packs = Packs(graph)
        self._graph = graph
        self._shapes = graph.shapes(DEPTH)
        self._users = graph.users()
        self._lanes_of = [0] * len(graph.operations)  # the lanes of what a node follows from, as bits

    def run(self) -> None:
        """Begin with the results that lead to the most vectors."""
        results, others = self._seeds()
        reach = {nodes: self._reach(nodes) for nodes in results}
        waiting = [*sorted(results, key=lambda nodes: reach[nodes], reverse=True), *reversed(others)]
        while waiting:
            # seeds that have nothing to do with the existing lanes come last
            unrelated = [seed for seed in waiting if not self._begin(seed, unrelated=False)]
            began = next((k for k, seed in enumerate(unrelated) if self._begin(seed, unrelated=True)), len(unrelated))
            waiting = unrelated[began + 1 :]

    def _seeds(self) -> tuple[list[Nodes], list[Nodes]]:
        """Return groups of exactly four results, and then of all nodes, whose trees are alike."""
        results = list(dict.fromkeys(r.node for r in self._graph.outputs.values()))
        found = [nodes for shapes in reversed(self._shapes[1:]) for nodes in self._alike(results, shapes)]
        return list(dict.fromkeys(found)), self._alike(range(len(self._graph.operations)), self._shapes[-1])

    def _alike(self, candidates: Iterable[int], shapes: list[int]) -> list[Nodes]:
        """Return the groups of exactly four among some nodes that have one shape."""
        groups: dict[int, list[int]] = defaultdict(list)
        for node in candidates:
            if not self._graph.is_leaf(node):
                groups[shapes[node]].append(node)
        return [tuple(nodes) for nodes in groups.values() if len(nodes) == WIDTH]

    def _reach(self, seed: Nodes) -> int:
        """Return how many vectors a seed would lead to."""
        self.packs.new = []
        self.packs.add(seed)
        self.packs.forget(self.packs.new)
        return len(self.packs.new)

    def _begin(self, seed: Nodes, *, unrelated: bool) -> bool:
        """Make packs of a seed and all that follows; return False if it has nothing to do with the existing lanes."""
        if not self.packs.free(seed):
            return not unrelated
        if not unrelated and not any(self._lanes_of[node] for node in seed):
            return False
        if (nodes := self._in_order(seed)) is not None:
            self.packs.new = []
            self.packs.add(nodes)
            if len(self.packs.new) > 1:
                self._lanes_of = self._lanes_below()
                self._extend()
                self._fill()
                self._lanes_of = self._lanes_below()
                return True
            self.packs.forget(self.packs.new)
        return not unrelated

    def _in_order(self, seed: Nodes) -> Nodes | None:
        """Return a seed in the order of its nodes' lanes; None if they are neither one of each nor all of the same."""
        if len({self._lanes_of[node] for node in seed}) == 1:
            return seed
        by_lane = {self._lanes_of[node]: node for node in seed}
        return tuple(by_lane[lane] for lane in LANES) if by_lane.keys() == set(LANES) else None

    def _lanes_below(self) -> list[int]:
        """Return for each node the lanes that it depends on, as bits: its own lane, or those of all its operands."""
        found: list[int] = []
        for node, operands in enumerate(self._graph.operands):
            lanes = {lane for _, lane in self.packs.seen.get(node, ())}
            below = LANES[next(iter(lanes))] if len(lanes) == 1 else 0
            if not below:
                for r in operands:
                    below |= found[r.node]
            found.append(below)
        return found

    def _extend(self) -> list[Nodes]:
        """Pack what is done alike to lanes of the new vectors, and to its results; return all that is new."""
        packs, near = self.packs, set[int]()
        added: list[Nodes] = []
        while packs.new:
            added += packs.new
            near = {node for node in near if node not in packs.owner}
            near |= {u for nodes in packs.new for node in nodes for u in self._users[node] if u not in packs.owner}
            roles = [(node, *role) for node in sorted(near) for role in self._roles(node)]
            packs.new = []
            for exact in (True, False):
                self._join((node, lane, key) for node, lane, key, certain in roles if certain is exact)
        return added

    def _join(self, roles: Iterable[tuple[int, int, object]]) -> None:
        """Pack the nodes that have the same role in all lanes."""
        groups: dict[object, list[list[int]]] = defaultdict(lambda: [[] for _ in range(WIDTH)])
        for node, lane, key in roles:
            if node not in self.packs.owner:
                groups[key][lane].append(node)
        for lanes in groups.values():
            if len({len(lane) for lane in lanes}) == 1:
                for nodes in zip(*lanes, strict=True):
                    if len(set(nodes)) == WIDTH and self.packs.free(nodes):
                        self.packs.add(nodes)

    def _roles(self, node: int) -> Iterator[tuple[int, object, bool]]:
        """Return the operation that a node applies, in which lane, and the vectors of its operands.

        The role is certain unless an operand has nothing to do with lanes: any other such may be in another lane.
        """
        operation, operands = self._graph.operations[node], self._graph.operands[node]
        if operation not in VECTOR_OPERATIONS:
            return
        at = [{lane for _, lane in self.packs.seen.get(r.node, ())} for r in operands]
        counts = [sum(lane in lanes for lanes in at) for lane in range(WIDTH)]
        for lane, count in enumerate(counts):
            if count == 0 or count < max(counts):
                continue
            certain: list[list[tuple[object, ...]]] = []
            uncertain: list[tuple[object, ...]] = []
            for r in operands:
                vectors = sorted(nodes for nodes, at in self.packs.seen.get(r.node, ()) if at == lane)[:MAX_VECTORS]
                scalar = not self._lanes_of[r.node]
                certain.append([("lane", *nodes) for nodes in vectors] + [("node", r.node)] * (scalar or not vectors))
                uncertain.append(("scalar",) if scalar else certain[-1][0])
            for key in product(*certain):
                if any(word[0] == "lane" for word in key):
                    yield lane, (operation, *(sorted(key) if operation in COMMUTATIVE else key)), True
            if ("scalar",) in uncertain:
                yield lane, (operation, *(sorted(uncertain) if operation in COMMUTATIVE else uncertain)), False

    def _fill(self) -> None:
        """Pack sums in some lanes with bare operands in the others, where that is requested or leads to more packs."""
        packs, tried, changed = self.packs, set[Nodes](), True
        while changed:
            changed = False
            self._lanes_of = self._lanes_below()
            requested = {operand for pack in packs.at.values() for operand, _ in pack.operands}
            for nodes, of in self._partial():
                if nodes in tried or nodes in packs.at or not packs.free(tuple(set(nodes) - set(of))):
                    continue
                tried.add(nodes)
                packs.new = []
                packs.add_sums(nodes, of)
                added = self._extend()
                if nodes in requested or sum(vector in packs.at for vector in added) > 1:
                    changed = True
                else:
                    packs.forget(added)

    def _partial(self) -> list[tuple[Nodes, Nodes]]:
        """Return vectors of sums in some lanes and of bare operands in the others, and the packs of the latter."""
        sums: dict[tuple[Nodes, object], list[list[int]]] = defaultdict(lambda: [[] for _ in range(WIDTH)])
        for of in self.packs.at:
            for lane, summed in enumerate(of):
                for node in self._users[summed]:
                    if self._graph.operations[node] == ca.OP_ADD and node not in self.packs.owner:
                        other = next((r.node for r in self._graph.operands[node] if r.node != summed), summed)
                        own = self._lanes_of[other] in LANES
                        sums[of, ("own", self._graph.operations[other]) if own else other][lane].append(node)
        found = []
        for (of, _), lanes in sums.items():
            counts = {len(lane) for lane in lanes}
            if len(counts) == 2 and 0 in counts:
                for k in range(max(counts)):
                    found.append((tuple(lane[k] if lane else of[i] for i, lane in enumerate(lanes)), of))
        return found
