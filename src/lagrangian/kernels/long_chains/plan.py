"""Which links of a tree go into which piece, and which pieces into the lanes of one vector.

The unbranched paths of the tree are looked through for stretches whose kinds of links repeat with a short period: these are cut
into pieces of one length, so that all lanes of a vector do the same at every step. What is left over, such as a floating base, a
branch or the few links that a length does not divide, is swept one link after the other; there a row of pieces, a run, counts
as one link.

All of it follows from the structure of the tree, as the code does: not from the numbers that are data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lagrangian.algorithms.tree import Tree
from lagrangian.cached import cached_property
from lagrangian.kernels.rolled.trace import CodeConstants, Variant, uniform_constants, variants

MAX_PERIOD = 6  # the longest period that is looked for

# Lanes that are used: on processors that take vectors of eight in two halves, eight are not faster than four, and need twice as
# many pieces to be joined.
MAX_LANES = 4
MIN_PIECE_LENGTH, MAX_PIECE_LENGTH = 8, 512  # links of a piece: those of a group should stay in the cache
MAX_PIECES_MERGED_IN_TURN = 8
MAX_ODD_GROUPS = 2  # groups, beyond which an even number of them is preferred: two threads may share them
MAX_RELATIVE_COST = 0.9  # of the time of a sweep, below which pieces must stay to be worth their code


def plan(tree: Tree, width: int, cost: Cost) -> Plan | None:
    """The best plan for a tree and vectors of some width, or None where sweeping one link after the other is as fast."""
    lanes = min(width, MAX_LANES)
    if tree.exact or tree.sample_tree is not None or len(tree) < lanes * MIN_PIECE_LENGTH:
        return None
    kinds = variants(tree)
    candidate = Plan(tree, lanes, kinds, uniform_constants(replace(tree, kind=tuple(kinds))))  # type: ignore[arg-type]
    families: dict[tuple[Variant, ...], list[Stretch]] = {}
    for stretch in stretches(tree, candidate.link_variants):
        families.setdefault(stretch.pattern, []).append(stretch)
    saving = -cost.rest
    for pattern, members in families.items():
        lengths = [len(s.links) for s in members]
        swept_cost = cost.link * sum(lengths)
        best, m = min((_cost(lengths, m, lanes, cost), m) for m in _candidate_lengths(lengths, len(pattern)))
        if best < swept_cost:
            _add_pieces(candidate, members, m)
            saving += swept_cost - best
    return candidate if candidate.groups and saving > (1 - MAX_RELATIVE_COST) * cost.link * len(tree) else None


@dataclass
class Plan:
    """Groups of pieces; runs of pieces, by their numbers `lane_count * group + lane`; and the links that are in no piece."""

    tree: Tree
    lane_count: int
    link_variants: list[Variant]
    code_constants: CodeConstants
    groups: list[PieceGroup] = field(default_factory=list)
    runs: list[list[int]] = field(default_factory=list)

    @cached_property
    def pieces(self) -> dict[int, tuple[int, ...]]:
        """The links of each piece."""
        return {self.lane_count * g + k: links for g, group in enumerate(self.groups) for k, links in enumerate(group.pieces)}

    @cached_property
    def digest(self) -> bytes:
        """A hash that tells the code of this plan from that of another."""
        content = [
            [str(variant) for variant in self.link_variants],
            sorted((str(key), x) for key, x in self.code_constants.items()),
        ]
        return hashlib.sha256(repr([content, self.lane_count, self.groups, self.runs]).encode()).digest()

    @cached_property
    def loose_links(self) -> list[int]:
        """The links in no piece."""
        inside = {i for links in self.pieces.values() for i in links}
        return [i for i in range(len(self.tree)) if i not in inside]

    @cached_property
    def items(self) -> list[tuple[int, int]]:
        """The parts that are swept one after the other, parents first: (link, -1) or (first link of a run, run)."""
        runs = [(self.pieces[run[0]][0], k) for k, run in enumerate(self.runs)]
        return sorted([*((i, -1) for i in self.loose_links), *runs])

    @cached_property
    def parents(self) -> list[int]:
        """The number of each item's parent among the items; -1 for the ground."""
        of_link = {}
        for number, (i, run) in enumerate(self.items):
            for link in (i,) if run < 0 else (link for p in self.runs[run] for link in self.pieces[p]):
                of_link[link] = number
        return [of_link.get(self.tree.parent[i], -1) for i, _ in self.items]

    @cached_property
    def merges(self) -> list[tuple[int, int, int]]:
        """The triples (inner, outer, both) of nodes that are joined, in an order that allows it; pieces are the first nodes."""
        return [joint for tree in self._merges_by_run for joint in tree]

    def continues_beyond(self, node: int) -> bool:
        """Whether anything is beyond the tip of two that are joined."""
        return node not in self._end_nodes

    @cached_property
    def _end_nodes(self) -> set[int]:
        """Joined nodes at the tip of a run that carries nothing."""
        ends = set()
        for joints, run, carrying in zip(self._merges_by_run, self.runs, self.carries_load, strict=True):
            last = run[-1]
            for _, outer, merged in joints:
                if outer == last and not carrying:
                    ends.add(last := merged)
        return ends

    @cached_property
    def roots(self) -> list[int]:
        """The node that each run becomes."""
        return [tree[-1][2] if tree else run[0] for tree, run in zip(self._merges_by_run, self.runs, strict=True)]

    @cached_property
    def _merges_by_run(self) -> list[list[tuple[int, int, int]]]:
        """The merges of each run: neighbours become one node, and these again, until one is left.

        Few pieces with nothing beyond them are joined one after the other from the tip, which is the least work.
        """
        count, merges_by_run = self.lane_count * len(self.groups), []
        for run, carrying in zip(self.runs, self.carries_load, strict=True):
            level, merges = list(run), []
            while len(level) > 1 and not carrying and len(run) <= MAX_PIECES_MERGED_IN_TURN:
                merges.append((level[-2], level[-1], count))
                level[-2:] = [count]
                count += 1
            while len(level) > 1:
                following = []
                for a, b in zip(level[::2], level[1::2], strict=False):
                    merges.append((a, b, count))
                    following.append(count)
                    count += 1
                level = following + level[len(level) & ~1 :]
            merges_by_run.append(merges)
        return merges_by_run

    @cached_property
    def carries_load(self) -> list[bool]:
        """Whether each run carries anything at its tip."""
        number = {run: k for k, (_, run) in enumerate(self.items)}
        parents = set(self.parents)
        return [number[run] in parents for run in range(len(self.runs))]

    @cached_property
    def split_pieces(self) -> dict[int, int]:
        """The pieces whose last link is cut in two, and the node with the other half: the next piece, or what a run carries."""
        other_halves: dict[int, int] = {}
        for number, run in enumerate(self.runs):
            other_halves.update(pairwise(run))
            if self.carries_load[number]:
                other_halves[run[-1]] = self.subtree_node(number)
        return other_halves

    def subtree_node(self, run: int) -> int:
        """The node of what a run carries; the one after it is that of both together."""
        return self.node_count + 2 * run

    @property
    def node_count(self) -> int:
        return self.lane_count * len(self.groups) + len(self.merges)


@dataclass(frozen=True)
class PieceGroup:
    """Pieces that are swept side by side: fewer than lanes, or as many."""

    pieces: tuple[tuple[int, ...], ...]

    @property
    def step_count(self) -> int:
        return len(self.pieces[0])


@dataclass(frozen=True)
class Stretch:
    """Links one after the other, whose kinds repeat."""

    links: tuple[int, ...]
    pattern: tuple[Variant, ...]  # of one period


@dataclass(frozen=True)
class Cost:
    """The times of a step of all lanes, a link of a sweep, a piece and the rest, in ns: see benchmarks/long_chains.py."""

    step: float
    link: float
    piece: float
    rest: float


def stretches(tree: Tree, link_variants: Sequence[Variant]) -> list[Stretch]:
    """The parts of unbranched paths with a period, each as long as it can be; at its tip is a link that has inertia."""
    periodic_stretches = []
    for path in unbranched_paths(tree):
        at = 0
        while at < len(path):
            lengths = {p: _periodic_length(path, at, p, link_variants) for p in range(1, MAX_PERIOD + 1)}
            period = max(lengths, key=lambda p: (lengths[p] if lengths[p] >= 2 * p else 0, -p))
            end = at + lengths[period]
            while end > at and not _has_inertia(tree, path[end - 1]):
                end -= 1
            if end - at < max(2 * MIN_PIECE_LENGTH, 2 * period):
                at = max(at + 1, end - MAX_PERIOD)  # another period may begin before this one ends
                continue
            # pieces are counted from the tip, and so is a period
            periodic_stretches.append(Stretch(tuple(path[at:end]), tuple(link_variants[i] for i in path[end - period : end])))
            at = end
    return periodic_stretches


def unbranched_paths(tree: Tree) -> list[list[int]]:
    """The unbranched paths: from the ground, or after a branch, to a tip, or to the next branch."""
    children: list[list[int]] = [[] for _ in range(len(tree) + 1)]
    for i, parent in enumerate(tree.parent):
        children[parent].append(i)
    branches = []
    for i, parent in enumerate(tree.parent):
        if parent < 0 or len(children[parent]) > 1:
            path = [i]
            while len(children[path[-1]]) == 1:
                path.append(children[path[-1]][0])
            branches.append(path)
    return branches


def _candidate_lengths(lengths: Sequence[int], period: int) -> list[int]:
    """Lengths of pieces that may be best."""
    longest = min(MAX_PIECE_LENGTH, max(lengths))
    return [m for m in range(period, longest + 1, period) if m >= MIN_PIECE_LENGTH] or [period]


def _cost(lengths: Sequence[int], m: int, lanes: int, cost: Cost) -> float:
    """The cost of stretches in pieces of length m."""
    pieces = sum(n // m for n in lengths)
    groups = -(-pieces // lanes)
    groups += groups % 2 if groups > MAX_ODD_GROUPS else 0
    return cost.step * groups * m + cost.piece * pieces + cost.link * sum(n % m for n in lengths)


def _add_pieces(plan: Plan, members: Sequence[Stretch], m: int) -> None:
    """Cut stretches into pieces of length m; the links that remain are at their bases."""
    pieces: list[tuple[int, ...]] = []
    rows: list[list[int]] = []
    first = plan.lane_count * len(plan.groups)
    for stretch in members:
        count = len(stretch.links) // m
        start = len(stretch.links) - count * m
        rows.append([first + len(pieces) + k for k in range(count)])
        pieces += [stretch.links[start + k * m : start + (k + 1) * m] for k in range(count)]
    for k in range(0, len(pieces), plan.lane_count):
        plan.groups.append(PieceGroup(tuple(pieces[k : k + plan.lane_count])))
    plan.runs += [row for row in rows if row]


def _periodic_length(path: Sequence[int], at: int, period: int, link_variants: Sequence[Variant]) -> int:
    """How many links of a path from `at` on there are, each but the first of the kind of the one a period before."""
    k = at + period
    while k < len(path) and link_variants[path[k]] == link_variants[path[k - period]]:
        k += 1
    return min(k, len(path)) - at


def _has_inertia(tree: Tree, i: int) -> bool:
    """Whether the link alone may resist every motion, by its structure: a piece cannot end at one that does not."""
    mass, I = tree.constants["mass"][i], tree.constants["I"][i]
    return bool(mass[0] != 0 and (I[[0, 3, 5]] != 0).all())
