"""The arrays that the code of pieces reads: the numbers of a tree, and tables of where things are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lagrangian.algorithms.sweep import Algorithm
from lagrangian.kernels.code import LINE, on_a_line
from lagrangian.kernels.llvm.target import Target
from lagrangian.kernels.pieces import lanes, places, runs, shared
from lagrangian.kernels.pieces.items import tree_of_items
from lagrangian.kernels.pieces.plan import Plan
from lagrangian.kernels.rolled import kernel as rolled

# which parameters the code reads of links, items and steps, and which numbers of the ground
GROUP_ROW = 8  # first step, steps; of coordinates and of speeds the row of their places, the first and how many
Columns = dict[str, list[tuple[Any, int]]]


class Layout:
    """Named parts of one array, each at the start of a line of the cache."""

    def __init__(self) -> None:
        self.at: dict[str, int] = {}
        self.size = 0

    def add(self, name: str, amount: int) -> None:
        self.at[name] = self.size
        self.size += (amount + LINE - 1) // LINE * LINE

    def joined(self, parts: dict[str, np.ndarray], dtype: type) -> np.ndarray:
        """The parts in one array that starts at a line of the cache."""
        whole = on_a_line(self.size, dtype)
        for name, part in parts.items():
            whole[self.at[name] : self.at[name] + part.size] = part.ravel()
        return whole


def layout(parts: dict[str, np.ndarray]) -> Layout:
    found = Layout()
    for name, part in parts.items():
        found.add(name, part.size)
    return found


def tables(plan: Plan) -> dict[str, np.ndarray]:
    """All whole numbers that the code reads; those of the sweep over all links first."""
    coordinates, speeds = places.of_coordinates(plan), places.of_speeds(plan)
    run_rows, at = [], 0
    for number, (run, root) in enumerate(zip(plan.runs, plan.roots, strict=True)):
        more = [plan.carried(number), plan.carried(number) + 1] if plan.carrying[number] else [-1, -1]
        run_rows.append([at, len(run), root, *more])
        at += len(run)
    steps = lanes.tree_of_steps(plan)
    group_rows, start = [], 0
    for group, *both in zip(plan.groups, coordinates.of_groups, speeds.of_groups, strict=True):
        group_rows.append([start, group.steps, *both[0], *both[1]])
        start += group.steps
    of_lane = [
        [plan.lanes * g + (k if k < len(group.pieces) else 0) for k in range(plan.lanes)] for g, group in enumerate(plan.groups)
    ]
    return {
        "links": rolled.table(replace(plan.tree, kind=tuple(plan.variant))),  # type: ignore[arg-type]
        "items": rolled.table(tree_of_items(plan)),
        "steps": rolled.table(steps),
        "coordinates": coordinates.table,
        "speeds": speeds.table,
        "left": left_angles(plan),
        "groups": np.array(group_rows),
        "pieces": np.array(of_lane),
        "runs": np.array(run_rows),
        "order": np.array([piece for run in plan.runs for piece in run]),
        "joints": np.array([len(plan.joints), *(x for joint in plan.joints for x in (*joint, int(plan.goes_on(joint[2]))))]),
        "gate": np.zeros(shared.GATE, dtype=np.int64),  # where helpers are found: see `shared`
        "functions": np.zeros(len(runs.FUNCTIONS), dtype=np.int64),  # their addresses: see `data`
    }


def left_angles(plan: Plan) -> np.ndarray:
    """Where the angles of links in no piece are among the coordinates; the last row repeats one."""
    found = [plan.tree.iq[i] for i in plan.left if plan.tree.kind[i].turns]
    found += found[-1:] * (-len(found) % plan.lanes)
    return np.array(found, dtype=np.int64).reshape(-1, plan.lanes)


def parameters(algorithm: Algorithm, plan: Plan, columns: Columns) -> dict[str, np.ndarray]:
    """All other numbers; how many those of the steps are is not known when compiling."""
    items = tree_of_items(plan)
    return {
        "links": rolled.parameter_array(algorithm, plan.tree, columns["links"], columns["ground of links"]),
        "items": rolled.parameter_array(algorithm, items, columns["items"], columns["ground of items"]),
        "halves": lanes.halves(plan),
        "steps": np.zeros(0),
    }


def arrays(algorithm: Algorithm, plan: Plan, target: Target, columns: Columns, halved: bool) -> list[np.ndarray]:
    """The parameters and the tables, as one array each."""
    found, whole = parameters(algorithm, plan, columns), tables(plan)
    found["steps"], whole["steps"][:, 1] = lanes.parameters(plan, columns["steps"], halved)
    _, whole["functions"][:] = runs.addresses(target)
    return [layout(found).joined(found, float), layout(whole).joined(whole, np.int64)]
