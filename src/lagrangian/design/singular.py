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
    """A singular configuration.

    Attributes
    ----------
    kind : {1, 2, 3}
        1 if the output loses a direction, 2 if the actuators do not control the mechanism, 3 if both happen.
    q : numpy.ndarray
        The configuration.
    motion : numpy.ndarray
        The speeds of the motion that leaves the output (1) or the actuators (2) at rest.
    says : str
        A sentence about what is lost or gained.

    Examples
    --------
    >>> import lagrangian as lg
    >>> first = lg.singularities("two_r", {"theta2": (-1.0, 1.0)}, "tip")[0]
    >>> first.kind, first.says
    (1, "'tip' cannot move along y")
    """

    kind: int
    q: np.ndarray
    motion: np.ndarray
    says: str


@dataclass(frozen=True, eq=False, repr=False)
class Singularities(ShownSingularities):
    """The singular configurations that were found over a range of one or two coordinates.

    `singularities` returns this sequence of `Singularity`. Over two coordinates the configurations are points on singular curves.

    Attributes
    ----------
    mechanism : Mechanism
        The mechanism.
    frame : str or None
        The output.
    directions : tuple of str
        The directions of the frame that count.
    over : dict
        The ranges of the coordinates.
    found : list of Singularity
        The configurations.

    Examples
    --------
    >>> import lagrangian as lg
    >>> found = lg.singularities("slider_crank", {"theta": (-1.0, 4.0)}, "slider")
    >>> len(found), found.kind, found.values.round(6) + 0.0
    (2, array([1, 1]), array([[0.      ],
           [3.141593]]))
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
        """The singular configurations, one per row."""
        return np.array([s.q for s in self.found]).reshape(-1, self.mechanism.nq)

    @property
    def kind(self) -> np.ndarray:
        """The type of each singular configuration: 1, 2 or 3."""
        return np.array([s.kind for s in self.found], dtype=int)

    @property
    def values(self) -> np.ndarray:
        """The values of the coordinates in `over`, one row for each configuration."""
        places = single_coordinates(self.mechanism)
        return self.q[:, [places[name][0] for name in self.over]]

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the coordinates in `over`, "rad" or "m"."""
        places = single_coordinates(self.mechanism)
        return tuple(unit_of(self.dyn, places[name][1]) for name in self.over)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, k: int) -> Singularity:
        return self.found[k]

    def __iter__(self) -> Iterator[Singularity]:
        return iter(self.found)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the type and the coordinates of each configuration to a file.

        Parameters
        ----------
        path : str or path
            The file; it ends in .csv or .nc (netCDF).

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
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
