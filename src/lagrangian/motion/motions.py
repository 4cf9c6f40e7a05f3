"""The result of many runs: where each ended and how, what was kept of them, statistics, and each as a whole motion on request."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from lagrangian.arguments import array
from lagrangian.errors import ArgumentError, ArgumentName, format_value, unknown_name_message
from lagrangian.motion import arguments
from lagrangian.motion.events import Happening
from lagrangian.motion.motion import Motion
from lagrangian.motion.showing import ShownMotions
from lagrangian.motion.statistics import Statistics
from lagrangian.motion.status import Ending, Status
from lagrangian.types import Times

if TYPE_CHECKING:
    from lagrangian.motion.batch.batch import Batch
    from lagrangian.motion.batch.kept import Kept


class NoSuchMotionError(ArgumentError, IndexError):
    """A number that no motion has: an IndexError, too, as of every sequence."""


class Motions(Sequence[Motion], ShownMotions):
    """Many motions of one mechanism, in the order in which you gave them.

    `simulate` returns this if you give it many starts, torques or values of parameters. It holds where each motion begins and
    ends, and what you told it to `keep`. `motions[i]` is a whole `Motion`: that one is simulated again, and gives the same
    numbers.

    Attributes
    ----------
    q0, qd0 : ndarray
        Coordinates and speeds at the beginning, one row for each motion.
    q_end, qd_end : ndarray
        Coordinates and speeds at the end; NaN for a motion that could not begin or was interrupted.
    t_end : ndarray
        The times of the ends, in s.
    status : ndarray
        How each motion ended, a `Status` each.
    steps : ndarray
        The numbers of accepted and of rejected time steps, with the shape (motions, 2).
    parameters : dict of ndarray
        The parameters and torques that vary, by name, with a value for each motion.
    mechanism : Mechanism
        The mechanism.
    span : (float, float)
        The time span, in s.
    coordinate_names, speed_names : tuple of str
        The names of the columns of `q_end` and of `qd_end`.

    See Also
    --------
    simulate : Simulate one motion or many.

    Examples
    --------
    >>> import lagrangian as lg
    >>> motions = lg.simulate("pendulum", 2, q0=[[0.1], [0.2], [0.3]], keep="extremes")
    >>> print(motions)
    pendulum: 3 motions from 0 to 2 s
    finished: 3
    theta at the end: mean -0.962426, standard deviation 0.164, from -1.17292 to -0.771942
    qd_theta at the end: mean 4.42964, standard deviation 0.381, from 3.95528 to 4.88728
    >>> motions.extremes["qd_max"][:, 0].round(3)
    array([4.645, 4.85 , 5.042])
    >>> print(motions[1].message)
    reached t = 2 s
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
            raise ArgumentError(f"is {format_value(index)}; a whole number is needed", argument="i") from None
        if not -len(self) <= i < len(self):
            raise NoSuchMotionError(f"there is no motion {i}; there are {len(self)}, from 0 to {len(self) - 1}", where=self.name)
        return i % len(self)

    def motion(self, i: int, t_eval: Times | None = None) -> Motion:
        """Return one motion with all its forces, energies and work.

        Parameters
        ----------
        i : int
            The number of the motion, from 0 on; a negative number counts from the end.
        t_eval : int or array_like, optional
            The number of rows, or their times in s; those of `simulate` by default.

        Returns
        -------
        Motion
            The motion.

        Raises
        ------
        ArgumentError
            If there is no motion `i`, or if it could not begin.
        """
        i = self._number(i)
        if not np.isfinite(self.y0[i]).all():
            raise ArgumentError(f"motion {i} could not begin: {self.message(i)}", where=self.name)
        times = self._times if t_eval is None else arguments.grid(t_eval, *self.span)
        return self._batch.motion(i, self.y0[i], times.copy())

    # -- how they ended ----------------------------------------------------------------------------------------------

    @property
    def success(self) -> np.ndarray:
        """Whether each motion reached its end, or an event that stops it, as an array of bool."""
        return np.logical_or.reduce([self.status == status for status in Status if status.success])

    def ending(self, i: int) -> Ending:
        """Tell how one motion ended.

        Parameters
        ----------
        i : int
            The number of the motion.

        Returns
        -------
        Ending
            Its status, its time and the reason.
        """
        i = self._number(i)
        known = self.kept.endings.get(i)
        return known if known is not None else Ending(self.status[i], float(self.t_end[i]))

    def message(self, i: int) -> str:
        """Tell in words how one motion ended.

        Parameters
        ----------
        i : int
            The number of the motion.

        Returns
        -------
        str
            A sentence.
        """
        return self.ending(i).message

    # -- what was kept -----------------------------------------------------------------------------------------------

    @property
    def t(self) -> np.ndarray:
        """The times of the rows, in s. This needs `keep="rows"`."""
        self._rows()
        return self._batch.grid

    @property
    def q(self) -> np.ndarray:
        """Coordinates with the shape (motions, rows, coordinates). This needs `keep="rows"`.

        They are NaN after the end of a motion. Loops are closed at the integrator's steps; between the steps they are open by as
        much as `rtol` allows.
        """
        return self._rows()[..., : self.mechanism.nq]

    @property
    def qd(self) -> np.ndarray:
        """Speeds with the shape (motions, rows, speeds). This needs `keep="rows"`."""
        return self._rows()[..., self.mechanism.nq :]

    def _rows(self) -> np.ndarray:
        if self.kept.rows is None:
            raise ArgumentError('no rows were kept; use simulate(..., keep="rows"), or motions[i] for the rows of one motion')
        return self.kept.rows

    @property
    def extremes(self) -> dict[str, np.ndarray]:
        """The extremes of coordinates and speeds over the whole motion. This needs `keep="extremes"`.

        The keys are `q_min`, `q_max`, `qd_min` and `qd_max`, with a row for each motion. `t_q_min`, `t_q_max`, `t_qd_min` and
        `t_qd_max` are the times at which the extremes are reached, in s.
        """
        found, nq = self.kept.extremes, self.mechanism.nq
        if found is None:
            raise ArgumentError('no extremes were kept; use simulate(..., keep="extremes")')
        parts = {"q": found[..., :nq], "qd": found[..., nq:]}
        names = ("{}_min", "{}_max", "t_{}_min", "t_{}_max")
        return {text.format(name): part[:, k] for k, text in enumerate(names) for name, part in parts.items()}

    @property
    def events(self) -> dict[int, list[Happening]]:
        """The events, in a mapping of the numbers of motions that had any to lists. This needs `keep="events"`."""
        if self.kept.events is None:
            raise ArgumentError(
                'no events were kept; use simulate(..., keep="events"), or motions[i] for the events of one motion'
            )
        return self.kept.events

    # -- statistics --------------------------------------------------------------------------------------------------

    def statistics(self, of: str | ArrayLike | None = None) -> Statistics:
        """Compute the mean, standard deviation, extremes and quantiles over the motions that succeeded.

        Parameters
        ----------
        of : str or array_like, optional
            A quantity, such as "q_end", "theta1" (at the end) or, with `keep="extremes"`, "qd_max"; or an array with an entry
            for each motion. By default, coordinates and speeds at the end.

        Returns
        -------
        Statistics
            A mapping of "mean", "std", "min", "max" and quantiles such as "0.95" to arrays.

        Raises
        ------
        ArgumentError
            If there is no such quantity, or if no motion succeeded.

        Examples
        --------
        >>> import lagrangian as lg
        >>> motions = lg.simulate("pendulum", 2, q0=[[0.1], [0.2], [0.3]])
        >>> print(motions.statistics("theta"))
                   mean      std      min       max     0.05     0.25       0.5      0.75      0.95
        theta  -0.96243  0.16431  -1.1729  -0.77194  -1.1499  -1.0577  -0.94242  -0.85718  -0.78899
        """
        values, names = self._named(of) if of is None or isinstance(of, str) else (array(of, "of"), ())
        if values.ndim < 1 or len(values) != len(self):
            raise ArgumentError(f"has shape {values.shape}; an entry for each of {len(self)} motions is needed", argument="of")
        values = values[self.success]
        if not len(values):
            raise ArgumentError("none of the motions succeeded; motions.message(i) says why", where=self.name)
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
            raise ArgumentError(unknown_name_message("quantity", of, [*vectors, *columns]), where=ArgumentName("of"))
        return columns[of], (of,)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the motions to a file.

        Parameters
        ----------
        path : str or path
            The file: netCDF (.nc), which holds all that was kept and opens in xarray, MATLAB and others; or CSV (.csv), with a
            row for each motion.

        Returns
        -------
        Path
            The file that was written.

        Raises
        ------
        ArgumentError
            If the suffix is neither .nc nor .csv.
        """
        from lagrangian.motion.many_files import save

        return save(self, path)

    def summary(self) -> str:
        """Describe the motions in a few lines: how many ended in which way, and statistics of their ends."""
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
                lines.append(f"{name} at the end: mean {mean:.6g}, standard deviation {std:.3g}, from {low:.6g} to {high:.6g}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        span, good = f"{self.span[0]:g} to {self.span[1]:g} s", int(self.success.sum())
        return f"<Motions of {self.name!r}: {len(self)} of {span}, {good} succeeded>"

    def __str__(self) -> str:
        return self.summary()
