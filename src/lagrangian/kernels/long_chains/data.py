"""The arrays that the code of pieces reads: the numbers of a tree, and tables of where things are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.kernels.kernel import CACHE_LINE, aligned_zeros
from lagrangian.kernels.llvm.target import CPUTarget
from lagrangian.kernels.long_chains import helpers, lanes, places, runs
from lagrangian.kernels.long_chains.items import tree_of_items
from lagrangian.kernels.long_chains.plan import Plan
from lagrangian.kernels.rolled import kernel as rolled_kernel

GROUP_ROW = 8  # first step, steps; of coordinates and of speeds the row of their places, the first and how many
# which parameters the code reads of links, items and steps, and which numbers of the ground
Columns = dict[str, list[tuple[Any, int]]]


class Layout:
    """Named parts of one array, each at the start of a line of the cache."""

    def __init__(self) -> None:
        self.offsets: dict[str, int] = {}
        self.size = 0

    def add(self, name: str, amount: int) -> None:
        self.offsets[name] = self.size
        self.size += (amount + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE

    def pack(self, parts: dict[str, np.ndarray], dtype: type) -> np.ndarray:
        """The parts in one array that starts at a line of the cache."""
        packed = aligned_zeros(self.size, dtype)
        for name, part in parts.items():
            packed[self.offsets[name] : self.offsets[name] + part.size] = part.ravel()
        return packed


def layout(parts: dict[str, np.ndarray]) -> Layout:
    parts_layout = Layout()
    for name, part in parts.items():
        parts_layout.add(name, part.size)
    return parts_layout


def tables(plan: Plan) -> dict[str, np.ndarray]:
    """All whole numbers that the code reads; those of the sweep over all links first."""
    coordinates, speeds = places.coordinate_places(plan), places.speed_places(plan)
    run_rows, first_piece = [], 0
    for number, (run, root) in enumerate(zip(plan.runs, plan.roots, strict=True)):
        tip_nodes = [plan.subtree_node(number), plan.subtree_node(number) + 1] if plan.carries_load[number] else [-1, -1]
        run_rows.append([first_piece, len(run), root, *tip_nodes])
        first_piece += len(run)
    steps = lanes.tree_of_steps(plan)
    group_rows, start = [], 0
    for group, *place_rows in zip(plan.groups, coordinates.group_rows, speeds.group_rows, strict=True):
        group_rows.append([start, group.step_count, *place_rows[0], *place_rows[1]])
        start += group.step_count
    pieces_of_lanes = [
        [plan.lane_count * g + (k if k < len(group.pieces) else 0) for k in range(plan.lane_count)]
        for g, group in enumerate(plan.groups)
    ]
    return {
        "links": rolled_kernel.link_table(replace(plan.tree, kind=tuple(plan.link_variants))),  # type: ignore[arg-type]
        "items": rolled_kernel.link_table(tree_of_items(plan)),
        "steps": rolled_kernel.link_table(steps),
        "coordinates": coordinates.table,
        "speeds": speeds.table,
        "loose_angles": loose_angles(plan),
        "groups": np.array(group_rows),
        "pieces": np.array(pieces_of_lanes),
        "runs": np.array(run_rows),
        "order": np.array([piece for run in plan.runs for piece in run]),
        "joints": np.array(
            [len(plan.merges), *(x for joint in plan.merges for x in (*joint, int(plan.continues_beyond(joint[2]))))]
        ),
        "gate": np.zeros(helpers.GATE_SIZE, dtype=np.int64),  # where helpers are found: see `long_chains.helpers`
        "functions": np.zeros(len(runs.FUNCTIONS), dtype=np.int64),  # their addresses: see `data`
    }


def loose_angles(plan: Plan) -> np.ndarray:
    """The places among the coordinates of the angles of links in no piece, as rows of lanes; the last row repeats one."""
    angle_places = [plan.tree.iq[i] for i in plan.loose_links if plan.tree.kind[i].turns]
    angle_places += angle_places[-1:] * (-len(angle_places) % plan.lane_count)
    return np.array(angle_places, dtype=np.int64).reshape(-1, plan.lane_count)


def parameters(algorithm: Algorithm, plan: Plan, columns: Columns) -> dict[str, np.ndarray]:
    """All other numbers; how many those of the steps are is not known when compiling."""
    items = tree_of_items(plan)
    return {
        "links": rolled_kernel.parameter_array(algorithm, plan.tree, columns["links"], columns["ground of links"]),
        "items": rolled_kernel.parameter_array(algorithm, items, columns["items"], columns["ground of items"]),
        "halves": lanes.half_link_parameters(plan),
        "steps": np.zeros(0),
    }


def arrays(algorithm: Algorithm, plan: Plan, target: CPUTarget, columns: Columns, halves_links: bool) -> list[np.ndarray]:
    """The parameters and the tables, as one array each."""
    numbers, integers = parameters(algorithm, plan, columns), tables(plan)
    numbers["steps"], integers["steps"][:, 1] = lanes.step_parameters(plan, columns["steps"], halves_links)
    _, integers["functions"][:] = runs.addresses(target)
    return [layout(numbers).pack(numbers, float), layout(integers).pack(integers, np.int64)]
