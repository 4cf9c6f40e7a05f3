"""The result of many runs: where each ended and how, what was kept of them, statistics, and each as a whole motion on request."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from lagrangian.arguments import array
from lagrangian.errors import Argument, ArgumentError, one_of, shown
from lagrangian.motion import arguments
from lagrangian.motion.events import Happening
from lagrangian.motion.motion import Motion
from lagrangian.motion.showing import ShownMotions
from lagrangian.motion.statistics import Statistics
from lagrangian.motion.status import Ending, Status

if TYPE_CHECKING:
    from lagrangian.motion.batch.batch import Batch
    from lagrangian.motion.batch.kept import Kept


class NoSuchMotionError(ArgumentError, IndexError):
    """A number that no motion has: an IndexError, too, as of every sequence."""


class Motions(Sequence[Motion], ShownMotions):
    """Many motions of one mechanism, in the order in which they were given.

    `q_end`, `qd_end` and `t_end` are where each ended, NaN where it could not begin or was interrupted; `q0` and `qd0` where each
    began; `parameters` the values that varied, by name. With `keep="rows"` there are `t`, `q` and `qd`, (motions, rows, ...),
    and with `keep="events"` there is `events[i]`. `motions[i]` is a whole `Motion`, with the
    rows that `t_eval` asked for: that run is made again, by itself, and gives the same numbers.
    """

    def __init__(self, batch: Batch, kept: Kept, y0: np.ndarray, span: tuple[float, float], times: np.ndarray) -> None:
        """`times` are those of the rows of single motions."""
        self._batch, self.kept, self.y0, self._times = batch, kept, y0, times
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
        return self.motion(index)

    def __iter__(self) -> Iterator[Motion]:
        return (self[i] for i in range(len(self)))

    def _number(self, index: Any) -> int:
        """Of a motion; negative ones count from the end."""
        try:
            i = operator.index(index)
        except TypeError:
            raise ArgumentError(f"is {shown(index)}; a whole number is needed", argument="i") from None
        if not -len(self) <= i < len(self):
            raise NoSuchMotionError(f"there is no motion {i}; there are {len(self)}, from 0 to {len(self) - 1}", where=self.name)
        return i % len(self)

    def motion(self, i: int, t_eval: Any = None) -> Motion:
        """One motion with forces, energies and work, and the rows of `simulate`'s `t_eval`, or of another."""
        i = self._number(i)
        if not np.isfinite(self.y0[i]).all():
            raise ArgumentError(f"motion {i} could not begin: {self.message(i)}", where=self.name)
        times = self._times if t_eval is None else arguments.grid(t_eval, *self.span)
        return self._batch.motion(i, self.y0[i], times.copy())

    # -- how they ended ----------------------------------------------------------------------------------------------

    @property
    def success(self) -> np.ndarray:
        """Whether each ended as it was asked to."""
        return np.logical_or.reduce([self.status == status for status in Status if status.success])

    def ending(self, i: int) -> Ending:
        """How one ended."""
        i = self._number(i)
        known = self.kept.endings.get(i)
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
        if self.kept.rows is None:
            raise ArgumentError('no rows were kept; simulate(..., keep="rows") keeps them, and motions[i] has those of one')
        return self.kept.rows

    @property
    def extremes(self) -> dict[str, np.ndarray]:
        """Of each motion the least and greatest values of coordinates and speeds over all its time, and when they were reached.

        `q_min`, `q_max`, `qd_min`, `qd_max`, and with `t_` before their names the times, (motions, coordinates or speeds) each.
        """
        found, nq = self.kept.extremes, self.mechanism.nq
        if found is None:
            raise ArgumentError('no extremes were kept; simulate(..., keep="extremes") keeps them')
        parts = {"q": found[..., :nq], "qd": found[..., nq:]}
        names = ("{}_min", "{}_max", "t_{}_min", "t_{}_max")
        return {text.format(name): part[:, k] for k, text in enumerate(names) for name, part in parts.items()}

    @property
    def events(self) -> dict[int, list[Happening]]:
        """The events of each motion that had any."""
        if self.kept.events is None:
            raise ArgumentError('no events were kept; simulate(..., keep="events") keeps them, and motions[i] has those of one')
        return self.kept.events

    # -- statistics --------------------------------------------------------------------------------------------------

    def statistics(self, of: Any = None) -> Statistics:
        """Mean, standard deviation, least, greatest and quantiles over the motions that ended as they were asked to.

        `of` is the name of a quantity, such as "q_end", "theta1" (at the end) or, where they were kept, "qd_max"; or an array
        with an entry for each motion. Coordinates and speeds at the end are meant unless it is given.
        """
        values, names = self._named(of) if of is None or isinstance(of, str) else (array(of, "of"), ())
        if values.ndim < 1 or len(values) != len(self):
            raise ArgumentError(f"has shape {values.shape}; an entry for each of {len(self)} motions is needed", argument="of")
        values = values[self.success]
        if not len(values):
            raise ArgumentError("none of the motions ended as it was asked to; motions.message(i) says why", where=self.name)
        return Statistics(values, names)

    def _named(self, of: str | None) -> tuple[np.ndarray, tuple[str, ...]]:
        """A quantity with an entry for each motion, and the names of its columns."""
        state = np.hstack([self.q_end, self.qd_end])
        names = (*self.coordinate_names, *(f"qd_{name}" for name in self.speed_names))
        if of is None:
            return state, names
        vectors = {"q_end": self.q_end, "qd_end": self.qd_end, "q0": self.q0, "qd0": self.qd0}
        vectors |= self.extremes if self.kept.extremes is not None else {}
        columns = {name: state[:, [k]] for k, name in enumerate(names)}
        columns |= {name: x[:, None] for name, x in ({"t_end": self.t_end} | self.parameters).items()}
        if of in vectors:
            return vectors[of], self.speed_names if "qd" in of else self.coordinate_names
        if of not in columns:
            raise ArgumentError(one_of("quantity", of, [*vectors, *columns]), where=Argument("of"))
        return columns[of], (of,)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a netCDF file (.nc) with all that was kept, which many tools open; or a row for each motion as text (.csv)."""
        from lagrangian.motion.many_files import save

        return save(self, path)

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
            for k, name in enumerate(known.names):
                mean, std, low, high = (known[what][k] for what in ("mean", "std", "min", "max"))
                lines.append(f"{name} at the end: {mean:.6g}, standard deviation {std:.3g}, {low:.6g} to {high:.6g}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        span, good = f"{self.span[0]:g} to {self.span[1]:g} s", int(self.success.sum())
        return f"<Motions of {self.name!r}: {len(self)} of {span}, {good} succeeded>"

    def __str__(self) -> str:
        return self.summary()
