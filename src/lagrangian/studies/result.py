"""The results of a study: arrays by name, complete or as far as they are."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.cached import cached_property
from lagrangian.description.toml.reader import read_text
from lagrangian.errors import ArgumentError, LagrangianError, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.design import Design
from lagrangian.studies.distributions import varied
from lagrangian.studies.folder import Folder
from lagrangian.studies.indices import Indices, rank, sobol
from lagrangian.studies.job import Job
from lagrangian.studies.showing import ShownStudy

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion

QUANTILES = (0.05, 0.5, 0.95)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(\.\d+)?(e[-+]?\d+)?(?![\w])")


class Study(ShownStudy):
    """The samples of a study and the results of each.

    `study["l1"]` and `study["max(tip.x)"]` are arrays with an entry for every sample. Entries of samples that failed, or are not
    computed yet, are NaN. The results stay in the folder of the study and are read when you use them.

    Attributes
    ----------
    name : str
        The name of the study.
    about : dict
        What the study is about, as its folder stores it.
    design : Design
        The samples: the method, the seed and what is varied.

    See Also
    --------
    study : Run a study.
    read_study : Read a study from its folder.

    Examples
    --------
    >>> import lagrangian as lg
    >>> study = lg.study("pendulum", {"L": lg.span(0.5, 1.5, 3)}, {"t_span": 2}, "max(qd_theta)", workers=1)
    >>> study.inputs, study.outputs
    (('L',), ('max(qd_theta)',))
    >>> print(study["L"], study["max(qd_theta)"].round(3))
    [0.5 1.  1.5] [6.264 4.429 3.617]
    """

    def __init__(self, folder: Folder, about: Mapping[str, Any], job: Job | None = None) -> None:
        self._folder, self.about, self._job = folder, dict(about), job
        self.name = str(about["name"])
        over = {name: varied(text, name) for name, text in about["over"].items()}
        self.design = Design(over, about["method"], about["draws"], about["seed"])
        self._keys: list[str] = list(about["chunks"])
        self._size = int(about["size"])
        self._columns: dict[str, np.ndarray] = {}

    # -- what there is -----------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder in which the results are."""
        return self._folder.path

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what is varied."""
        return self.design.names

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The names of the results that are kept."""
        return tuple(self._shapes)

    @cached_property
    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each kept column for one sample."""
        found: dict[str, tuple[int, ...]] = {}
        asked = set(self.about["keep"] or ())
        for columns, _ in self._chunks():
            for name, values in columns.items():
                found.setdefault(name, values.shape[1:])
            if asked and asked <= found.keys():
                break
        order = [name for name in self.about["keep"] or () if name in found]
        return {name: found[name] for name in dict.fromkeys([*order, *found])}

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of those outputs that are one number for every sample."""
        return tuple(name for name, shape in self._shapes.items() if not shape)

    @property
    def curves(self) -> tuple[str, ...]:
        """The names of those outputs that are curves over time."""
        return tuple(name for name, shape in self._shapes.items() if shape)

    def __len__(self) -> int:
        return self.design.count

    @cached_property
    def done(self) -> int:
        """The number of samples that are computed, including those that failed."""
        kept = self._folder.kept()
        return sum(min(self._size, len(self) - k * self._size) for k, key in enumerate(self._keys) if key in kept)

    @property
    def complete(self) -> bool:
        """Whether all samples are computed."""
        return self.done == len(self)

    @cached_property
    def failed(self) -> dict[int, str]:
        """The samples that failed, in a mapping of their indices to the reasons."""
        return {k: why for _, failed in self._chunks() for k, why in failed.items()}

    def _chunks(self) -> Iterator[tuple[dict[str, np.ndarray], dict[int, str]]]:
        for key in self._keys:
            found = self._folder.load(key)
            if found is not None:
                yield found

    @cached_property
    def mechanism(self) -> Mechanism | None:
        """The mechanism with its nominal values; None if the folder that was read does not contain it."""
        if self._job is not None:
            return self._job.mechanism
        text = self.about.get("description")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return read_text(text) if isinstance(text, str) and text else None
        except LagrangianError:
            return None

    @cached_property
    def units(self) -> dict[str, str]:
        """The SI units of inputs and outputs by name, as far as the mechanism determines them."""
        from lagrangian.studies.units import units_of

        return units_of(self.mechanism, self.inputs, self.about["keep"] if isinstance(self.about.get("run"), dict) else None)

    def reasons(self) -> list[tuple[str, int, int]]:
        """Group the reasons of failed samples, the most frequent first.

        Reasons that differ only in numbers count as the same. Each entry holds the reason of the first such sample, how many
        samples have it, and the index of the first.
        """
        found: dict[str, list[int]] = {}
        for k, why in self.failed.items():
            found.setdefault(_NUMBER.sub("#", why), []).append(k)
        return sorted(((self.failed[of[0]], len(of), of[0]) for of in found.values()), key=lambda x: -x[1])

    # -- arrays ------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.inputs:
            return self.values()[:, self.inputs.index(name)]
        if not self.outputs and self.failed:
            first = next(iter(self.failed))
            raise ArgumentError(f"{self.name} has no results: all samples failed, the first with: {self.failed[first]}")
        if name not in self.outputs:
            raise ArgumentError(one_of("input or output", name, [*self.inputs, *self.outputs]))
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name].copy()

    def _read(self, name: str) -> np.ndarray:
        found = np.full((len(self), *self._shapes[name]), np.nan)
        for k, key in enumerate(self._keys):
            chunk = self._folder.load(key)
            if chunk is not None and name in chunk[0]:
                at = k * self._size
                found[at : at + len(chunk[0][name])] = chunk[0][name]
        return found

    def values(self) -> np.ndarray:
        """Return the samples: an array with a row for each and a column for every input."""
        return self.design.values(0, len(self))

    def sample(self, index: int) -> dict[str, float]:
        """Return the inputs of one sample.

        Parameters
        ----------
        index : int
            The index of the sample, from 0 on.

        Returns
        -------
        dict of float
            The values by name.
        """
        k = count(index, "index", least=0, most=len(self) - 1)
        return dict(zip(self.inputs, self.design.values(k, k + 1)[0].tolist(), strict=True))

    def table(self) -> np.ndarray:
        """Return all inputs and outputs as one NumPy structured array."""
        kinds = [(name, "f8") for name in self.inputs] + [(name, "f8", shape) for name, shape in self._shapes.items()]
        found = np.empty(len(self), dtype=kinds)
        for name in found.dtype.names or ():
            found[name] = self[name]
        return found

    def on_grid(self, name: str) -> np.ndarray:
        """Return an output as an array with the shape of the grid.

        Parameters
        ----------
        name : str
            The output.

        Returns
        -------
        ndarray
            An array with an axis for each span and, after them, one for the draws if there are distributions as well.

        Raises
        ------
        ArgumentError
            If the study has no grid.
        """
        if not self.design.spans:
            raise ArgumentError(f"{self.name} has no grid: its inputs are drawn from distributions")
        values = self[name]
        draws = (self.design.per_point,) if self.design.drawn else ()
        return values.reshape(*self.design.shape, *draws, *values.shape[1:])

    def motion(self, index: int) -> Motion:
        """Simulate the motion of one sample again.

        Parameters
        ----------
        index : int
            The index of the sample, from 0 on.

        Returns
        -------
        Motion
            The motion with all its rows.

        Raises
        ------
        ArgumentError
            If the run of the study is a function, or if the study was read from its folder.
        """
        if self._job is None or callable(self._job.run):
            what = "its run is a function" if self._job is not None else "it was read from its folder"
            raise ArgumentError(
                f"{self.name}: {what}, so that it has no motions to show",
                remedy=""
                if self._job is not None
                else "call study(...) with the same arguments; it does not compute results again",
            )
        from lagrangian.studies.evaluate import motion_of

        return motion_of(self._job, self.sample(index))

    # -- what they say -----------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, dict[str, float]]:
        """Compute statistics of every output that is a number.

        They are "count", "mean", "deviation" (the standard deviation), "min", "5 %", "median", "95 %" and "max".
        """
        found = {}
        for name in self.numbers:
            x = self[name]
            x = x[np.isfinite(x)]
            if not x.size:
                continue
            low, middle, high = np.quantile(x, QUANTILES)
            found[name] = {
                "count": float(x.size),
                "mean": float(x.mean()),
                "deviation": float(x.std(ddof=1)) if x.size > 1 else 0.0,
                "min": float(x.min()),
                "5 %": float(low),
                "median": float(middle),
                "95 %": float(high),
                "max": float(x.max()),
            }
        return found

    def indices(self, output: str | None = None) -> dict[str, Indices] | Indices:
        """Tell how much each input matters to the outputs.

        A study with the method "saltelli" gives Sobol's indices of first and total order, others give Spearman's rank
        correlations.

        Parameters
        ----------
        output : str, optional
            The output; all by default.

        Returns
        -------
        Indices or dict of Indices
            The indices of the output, or of all outputs by name.
        """
        if output is not None:
            if output not in self.numbers:
                raise ArgumentError(one_of("output that is a number", output, self.numbers), concerns="output")
            return self._indices(output)
        return {name: self._indices(name) for name in self.numbers}

    def _indices(self, output: str) -> Indices:
        if self.design.method == "saltelli":
            return sobol(output, self.inputs, self[output].reshape(-1, self.design.group), self.design.seed)
        return rank(output, self.inputs, self.values(), self[output])

    # -- as files and texts ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write all samples and results to one file.

        Parameters
        ----------
        path : str or path
            The file: netCDF (.nc), or CSV (.csv), which leaves curves out.

        Returns
        -------
        Path
            The file that was written.
        """
        from lagrangian.studies.files import save

        return save(self, path)

    def counts(self) -> dict[str, int]:
        """Count the chunks of the study.

        "chunks" is how many there are, "begun" how often one was begun, "kept" how many results were stored, and "kept twice"
        how many of them more than once. A chunk whose worker was killed is begun again; none should be kept twice.
        """
        begun, kept = self._folder.counts(set(self._keys))
        return {
            "chunks": len(self._keys),
            "begun": sum(begun.values()),
            "kept": sum(kept.values()),
            "kept twice": sum(n > 1 for n in kept.values()),
        }

    def summary(self) -> str:
        """Describe the study in a few lines: its samples, its failures, and statistics of its results."""
        words = {"grid": "on a grid", "random": "at random", "latin": "in a Latin hypercube", "sobol": "by Sobol's sequence"}
        how = words.get(self.design.method, "by Saltelli's design")
        if self.design.spans and self.design.drawn:
            how = f"at {len(self) // self.design.per_point} points of a grid, {self.design.draws} at each {how}"
        lines = [f"{self.name}: {len(self)} samples of {', '.join(self.inputs)} {how}"]
        if not self.complete:
            lines.append(f"{self.done} of them are computed; run the study again to continue")
        if self.failed:
            first = next(iter(self.failed))
            lines.append(f"{len(self.failed)} failed; the first is sample {first}: {self.failed[first]}")
        found = self.statistics()
        wide = max(map(len, found), default=0)
        for name, x in found.items():
            numbers = f"mean {x['mean']:.5g}, standard deviation {x['deviation']:.3g}, from {x['min']:.5g} to {x['max']:.5g}"
            lines.append(f"  {name:<{wide}}  {numbers}")
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Study {self.name!r}: {self.done} of {len(self)} samples{failed}; {', '.join(self.outputs)}>"
