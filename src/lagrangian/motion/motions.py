"""The result of many runs: where each ended and how, what was kept of them, statistics, and each as a whole motion on request."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from lagrangian.arguments import array
from lagrangian.errors import ArgumentError
from lagrangian.motion import arguments
from lagrangian.motion.events import Happening
from lagrangian.motion.motion import Motion
from lagrangian.motion.showing import ShownMotions
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.batch.batch import Batch
    from lagrangian.motion.batch.kept import Kept

ROWS = 1001
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Motions(Sequence[Motion], ShownMotions):
    """Many motions of one mechanism, in the order in which they were given.

    `q_end`, `qd_end` and `t_end` are where each ended, NaN where it could not begin or was interrupted; `q0` and `qd0` where each
    began; `parameters` the values that varied, by name. With `keep="rows"` there are `t`, `q` and `qd`, (motions, rows, ...),
    and with `keep="events"` there is `events[i]`. `motions[i]` is a whole `Motion`: that run is made
    again, by itself, and gives the same numbers.
    """

    def __init__(self, batch: Batch, kept: Kept, y0: np.ndarray, span: tuple[float, float]) -> None:
        self._batch, self._kept, self.y0 = batch, kept, y0
        self.mechanism, self.span = batch.given.mechanism, span
        self.name, nq = self.mechanism.name, self.mechanism.nq
        self.coordinate_names, self.speed_names = self.mechanism.coordinate_names, self.mechanism.speed_names
        self.parameters = dict(batch.given.varied)
        self.q0, self.qd0 = y0[:, :nq], y0[:, nq:]
        self.q_end, self.qd_end, self.t_end = kept.y[:, :nq], kept.y[:, nq:], kept.t
        self.status = kept.status
        self.steps = kept.steps

    def __len__(self) -> int:
        return len(self.y0)

    @overload
    def __getitem__(self, index: int) -> Motion: ...

    @overload
    def __getitem__(self, index: slice) -> list[Motion]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = operator.index(index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"motion {i} of {len(self)}")
        return self.motion(i % len(self))

    def __iter__(self) -> Iterator[Motion]:
        return (self[i] for i in range(len(self)))

    def motion(self, i: int, t_eval: Any = ROWS) -> Motion:
        """One motion with all its rows, forces, energies and work."""
        if not np.isfinite(self.y0[i]).all():
            raise ArgumentError(f"motion {i} could not begin: {self.message(i)}", where=self.name)
        return self._batch.motion(i, self.y0[i], arguments.grid(t_eval, *self.span))

    # -- how they ended ----------------------------------------------------------------------------------------------

    @property
    def success(self) -> np.ndarray:
        """Whether each ended as it was asked to."""
        return np.logical_or.reduce([self.status == status for status in Status if status.success])

    def ending(self, i: int) -> Ending:
        """How one ended."""
        known = self._kept.endings.get(i)
        return known if known is not None else Ending(self.status[i], float(self.t_end[i]))

    def message(self, i: int) -> str:
        """The same as a sentence."""
        return self.ending(i).message

    # -- what was kept -----------------------------------------------------------------------------------------------

    @property
    def t(self) -> np.ndarray:
        """The times of the rows."""
        self._rows()
        return self._batch.grid

    @property
    def q(self) -> np.ndarray:
        """Coordinates, (motions, rows, coordinates): NaN after a motion ended. Between steps loops are as open as rtol allows."""
        return self._rows()[..., : self.mechanism.nq]

    @property
    def qd(self) -> np.ndarray:
        """Speeds, (motions, rows, speeds)."""
        return self._rows()[..., self.mechanism.nq :]

    def _rows(self) -> np.ndarray:
        if self._kept.rows is None:
            raise ArgumentError('no rows were kept; simulate(..., keep="rows") keeps them, and motions[i] has those of one')
        return self._kept.rows

    @property
    def extremes(self) -> dict[str, np.ndarray]:
        """Of each motion the least and greatest values of coordinates and speeds over all its time, and when they were reached.

        `q_min`, `q_max`, `qd_min`, `qd_max`, and with `t_` before their names the times, (motions, coordinates or speeds) each.
        """
        found, nq = self._kept.extremes, self.mechanism.nq
        if found is None:
            raise ArgumentError('no extremes were kept; simulate(..., keep="extremes") keeps them')
        parts = {"q": found[..., :nq], "qd": found[..., nq:]}
        names = ("{}_min", "{}_max", "t_{}_min", "t_{}_max")
        return {text.format(name): part[:, k] for k, text in enumerate(names) for name, part in parts.items()}

    @property
    def events(self) -> dict[int, list[Happening]]:
        """The events of each motion that had any."""
        if self._kept.events is None:
            raise ArgumentError('no events were kept; simulate(..., keep="events") keeps them, and motions[i] has those of one')
        return self._kept.events

    # -- statistics --------------------------------------------------------------------------------------------------

    def statistics(self, of: Any = None) -> dict[str, np.ndarray]:
        """Mean, standard deviation, least, greatest and quantiles over the motions that ended as they were asked to.

        `of` is an array with an entry for each motion; coordinates and speeds at the end unless it is given.
        """
        values = np.hstack([self.q_end, self.qd_end]) if of is None else array(of, "of")
        if values.ndim < 1 or len(values) != len(self):
            raise ArgumentError(f"has shape {values.shape}; an entry for each of {len(self)} motions is needed", argument="of")
        values = values[self.success]
        if not len(values):
            raise ArgumentError("none of the motions ended as it was asked to; motions.message(i) says why", where=self.name)
        return {
            "mean": values.mean(axis=0),
            "std": values.std(axis=0),
            "min": values.min(axis=0),
            "max": values.max(axis=0),
            **{f"{p:g}": x for p, x in zip(QUANTILES, np.quantile(values, QUANTILES, axis=0), strict=True)},
        }

    def summary(self) -> str:
        """How they went, in a few lines."""
        lines = [f"{self.name}: {len(self)} motions from {self.span[0]:g} to {self.span[1]:g} s"]
        for status in Status:
            found = np.flatnonzero(self.status == status)
            if found.size:
                first = f"; motion {found[0]}: {self.message(int(found[0]))}" if status is not Status.FINISHED else ""
                lines.append(f"{status.value}: {found.size}{first}")
        if self.success.any():
            known = self.statistics()
            for k, name in enumerate((*self.coordinate_names, *(f"qd_{name}" for name in self.speed_names))):
                mean, std, low, high = (known[what][k] for what in ("mean", "std", "min", "max"))
                lines.append(f"{name} at the end: {mean:.6g}, standard deviation {std:.3g}, {low:.6g} to {high:.6g}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        span, good = f"{self.span[0]:g} to {self.span[1]:g} s", int(self.success.sum())
        return f"<Motions of {self.name!r}: {len(self)} of {span}, {good} succeeded>"

    def __str__(self) -> str:
        return self.summary()
