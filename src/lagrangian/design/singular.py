"""Singular configurations: what is kept of each, and of all that were found over a range."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lagrangian.configuration.coordinates import single_coordinates
from lagrangian.design.linkage import unit_of
from lagrangian.design.saving import Column, save
from lagrangian.design.showing import ShownSingularities
from lagrangian.design.units import in_words
from lagrangian.kernels.dynamics import Dynamics
from lagrangian.model.mechanism import Mechanism

LISTED = 12


@dataclass(frozen=True, eq=False)
class Singularity:
    """A singular configuration `q`.

    `kind` is 1 where the output loses a direction, 2 where the actuators do not command the mechanism, 3 for both. `says` tells
    what is lost or gained, `motion` are the speeds of the motion that leaves the output (1) or the actuators (2) at rest.
    """

    kind: int
    q: np.ndarray
    motion: np.ndarray
    says: str


@dataclass(frozen=True, eq=False, repr=False)
class Singularities(ShownSingularities):
    """The singular configurations that were found over a range of one coordinate, or of two.

    It is a sequence of `Singularity`. `q` (count, nq), `kind` (count,) and `values` (count, coordinates in `over`) have them as
    arrays. Over two coordinates they lie on curves, of which these are points.
    """

    mechanism: Mechanism
    frame: str | None
    directions: tuple[str, ...]
    over: dict[str, tuple[float, float]]
    found: list[Singularity]
    start: np.ndarray
    dyn: Dynamics = field(repr=False)

    @property
    def q(self) -> np.ndarray:
        return np.array([s.q for s in self.found]).reshape(-1, self.mechanism.nq)

    @property
    def kind(self) -> np.ndarray:
        return np.array([s.kind for s in self.found], dtype=int)

    @property
    def values(self) -> np.ndarray:
        places = single_coordinates(self.mechanism)
        return self.q[:, [places[name][0] for name in self.over]]

    @property
    def units(self) -> tuple[str, ...]:
        """Of the coordinates in `over`."""
        places = single_coordinates(self.mechanism)
        return tuple(unit_of(self.dyn, places[name][1]) for name in self.over)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, k: int) -> Singularity:
        return self.found[k]

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.found)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the type and the coordinates of each, as .csv or .nc; the file that was written."""
        columns = [Column("type", self.kind.astype(float), "1", "type of the singularity")]
        units = [unit or "1" for joint in self.mechanism.joints for unit in joint.kind.units]
        columns += [Column(n, self.q[:, k], units[k]) for k, n in enumerate(self.mechanism.coordinate_names)]
        return save(path, self.mechanism.name, "list of singular configurations", "singularity", columns)

    def __repr__(self) -> str:
        return f"<Singularities of {self.mechanism.name!r}: {len(self)}>"

    def __str__(self) -> str:
        spans = [
            f"{n} from {in_words(a, u)} to {in_words(b, u)}" for (n, (a, b)), u in zip(self.over.items(), self.units, strict=True)
        ]
        what = f"along {', '.join(self.directions)} of {self.frame!r}, " if self.frame else ""
        head = f"{self.mechanism.name}: {what}{', '.join(spans)}"
        if not self.found:
            return f"{head}: no singular configuration was found"
        if len(self.over) > 1:
            kinds = [f"{int((self.kind == k).sum())} of type {k}" for k in (1, 2, 3) if (self.kind == k).any()]
            says = list(dict.fromkeys(f"type {s.kind}: {s.says}" for s in self.found))
            more = [] if len(says) > LISTED else [f"  {line}" for line in says]
            return "\n".join([f"{head}: {len(self)} points on singular curves, {', '.join(kinds)}", *more])
        lines = [f"{head}: {len(self)} singular configuration{'s' * (len(self) != 1)}"]
        name, unit = next(iter(self.over)), self.units[0]
        for s, (x,) in list(zip(self.found, self.values, strict=True))[:LISTED]:
            lines.append(f"  {name} = {in_words(x, unit)}, type {s.kind}: {s.says}")
        return "\n".join([*lines, *([f"  and {len(self) - LISTED} more"] if len(self) > LISTED else [])])
