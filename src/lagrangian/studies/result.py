"""The results of a study: arrays by name, complete or as far as they have been computed, and their units."""

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
from lagrangian.errors import ArgumentError, LagrangianError, unknown_name_message
from lagrangian.model.expression import Expression, Scalar
from lagrangian.model.mechanism import Mechanism
from lagrangian.model.units import parameter_unit, quantity_units
from lagrangian.studies.digest import package_digest
from lagrangian.studies.display import StudyDisplay
from lagrangian.studies.distributions import as_varied_input
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.indices import SensitivityIndices, rank_correlations, sobol_indices
from lagrangian.studies.job import StudyJob
from lagrangian.studies.reductions import OutputColumn, as_output_columns
from lagrangian.studies.sampling import SamplingDesign

if TYPE_CHECKING:
    from lagrangian.motion.motion import Motion


QUANTILES = (0.05, 0.5, 0.95)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(\.\d+)?(e[-+]?\d+)?(?![\w])")
_KEEP_UNIT = ("+", "-", "neg", "abs", "max", "min")


class Study(StudyDisplay):
    """The samples of a study and the results of each.

    `study["l1"]` and `study["max(tip.x)"]` are arrays with an entry for every sample. Entries of samples that failed, or are not
    computed yet, are NaN. The results stay in the folder of the study and are read when you use them.

    Attributes
    ----------
    name : str
        The name of the study.
    about : dict
        What the study is about, as its folder stores it.
    design : SamplingDesign
        The samples: the method, the seed and what is varied.

    See Also
    --------
    study : Run a study.
    read_study : Read a study from its folder.

    Examples
    --------
    >>> import lagrangian as lg
    >>> study = lg.study("pendulum", {"L": lg.distributions.grid(0.5, 1.5, 3)}, {"t_span": 2}, "max(qd_theta)", workers=1)
    >>> study.inputs, study.outputs
    (('L',), ('max(qd_theta)',))
    >>> print(study["L"], study["max(qd_theta)"].round(3))
    [0.5 1.  1.5] [6.264 4.429 3.617]
    """

    def __init__(self, folder: StudyFolder, about: Mapping[str, Any], job: StudyJob | None = None) -> None:
        self._folder, self.about, self._job = folder, dict(about), job
        self.name = str(about["name"])
        over = {name: as_varied_input(text, name) for name, text in about["over"].items()}
        self.design = SamplingDesign(over, about["method"], about["draws"], about["seed"])
        self._keys: list[str] = list(about["chunks"])
        self._size = int(about["size"])
        self._columns: dict[str, np.ndarray] = {}

    # -- inputs, outputs and failures --------------------------------------------------------------------------------

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
        shapes: dict[str, tuple[int, ...]] = {}
        requested = set(self.about["keep"] or ())
        for columns, _ in self._chunks():
            for name, values in columns.items():
                shapes.setdefault(name, values.shape[1:])
            if requested and requested <= shapes.keys():
                break
        order = [name for name in self.about["keep"] or () if name in shapes]
        return {name: shapes[name] for name in dict.fromkeys([*order, *shapes])}

    @property
    def scalar_outputs(self) -> tuple[str, ...]:
        """The names of those outputs that are one number for every sample."""
        return tuple(name for name, shape in self._shapes.items() if not shape)

    @property
    def curve_outputs(self) -> tuple[str, ...]:
        """The names of those outputs that are curves over time."""
        return tuple(name for name, shape in self._shapes.items() if shape)

    def __len__(self) -> int:
        return self.design.count

    @cached_property
    def completed_count(self) -> int:
        """The number of samples that are computed, including those that failed."""
        stored = self._folder.stored_keys()
        return sum(min(self._size, len(self) - k * self._size) for k, key in enumerate(self._keys) if key in stored)

    @property
    def complete(self) -> bool:
        """Whether all samples are computed."""
        return self.completed_count == len(self)

    @cached_property
    def failed(self) -> dict[int, str]:
        """The samples that failed, in a mapping of their indices to the reasons."""
        return {k: reason for _, failed in self._chunks() for k, reason in failed.items()}

    def _chunks(self) -> Iterator[tuple[dict[str, np.ndarray], dict[int, str]]]:
        for key in self._keys:
            chunk = self._folder.load(key)
            if chunk is not None:
                yield chunk

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
        return study_units(self.mechanism, self.inputs, self.about["keep"] if isinstance(self.about.get("run"), dict) else None)

    def failure_reasons(self) -> list[tuple[str, int, int]]:
        """Group the reasons of failed samples, the most frequent first.

        Reasons that differ only in numbers count as the same. Each entry holds the reason of the first such sample, how many
        samples have it, and the index of the first.
        """
        samples_by_reason: dict[str, list[int]] = {}
        for k, reason in self.failed.items():
            samples_by_reason.setdefault(_NUMBER.sub("#", reason), []).append(k)
        return sorted(
            ((self.failed[samples[0]], len(samples), samples[0]) for samples in samples_by_reason.values()), key=lambda x: -x[1]
        )

    # -- arrays ------------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.inputs:
            return self.values()[:, self.inputs.index(name)]
        if not self.outputs and self.failed:
            first = next(iter(self.failed))
            raise ArgumentError(f"{self.name} has no results: all samples failed, the first with: {self.failed[first]}")
        if name not in self.outputs:
            raise ArgumentError(unknown_name_message("input or output", name, [*self.inputs, *self.outputs]))
        if name not in self._columns:
            self._columns[name] = self._read(name)
        return self._columns[name].copy()

    def _read(self, name: str) -> np.ndarray:
        values = np.full((len(self), *self._shapes[name]), np.nan)
        for k, key in enumerate(self._keys):
            chunk = self._folder.load(key)
            if chunk is not None and name in chunk[0]:
                first = k * self._size
                values[first : first + len(chunk[0][name])] = chunk[0][name]
        return values

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
        rows = np.empty(len(self), dtype=kinds)
        for name in rows.dtype.names or ():
            rows[name] = self[name]
        return rows

    def grid_array(self, name: str) -> np.ndarray:
        """Return an output as an array with the shape of the grid.

        Parameters
        ----------
        name : str
            The output.

        Returns
        -------
        ndarray
            An array with an axis for each input of the grid and, after them, one for the draws if there are distributions, too.

        Raises
        ------
        ArgumentError
            If the study has no grid.
        """
        if not self.design.grid_axes:
            raise ArgumentError(f"{self.name} has no grid: its inputs are drawn from distributions")
        values = self[name]
        draws = (self.design.samples_per_point,) if self.design.distributions else ()
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
            cause = "its run is a function" if self._job is not None else "it was read from its folder"
            raise ArgumentError(
                f"{self.name}: {cause}, so that it has no motions to show",
                remedy=""
                if self._job is not None
                else "call study(...) with the same arguments; it does not compute results again",
            )
        from lagrangian.studies.evaluate import sample_motion

        return sample_motion(self._job, self.sample(index))

    # -- statistics --------------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, dict[str, float]]:
        """Compute statistics of every output that is a number.

        They are "count", "mean", "deviation" (the standard deviation), "min", "5 %", "median", "95 %" and "max".
        """
        statistics = {}
        for name in self.scalar_outputs:
            x = self[name]
            x = x[np.isfinite(x)]
            if not x.size:
                continue
            low, middle, high = np.quantile(x, QUANTILES)
            statistics[name] = {
                "count": float(x.size),
                "mean": float(x.mean()),
                "deviation": float(x.std(ddof=1)) if x.size > 1 else 0.0,
                "min": float(x.min()),
                "5 %": float(low),
                "median": float(middle),
                "95 %": float(high),
                "max": float(x.max()),
            }
        return statistics

    def indices(self, output: str | None = None) -> dict[str, SensitivityIndices] | SensitivityIndices:
        """Compute how much each input matters to the outputs.

        A study with the method "saltelli" gives Sobol's indices of first and total order, others give Spearman's rank
        correlations.

        Parameters
        ----------
        output : str, optional
            The output; all by default.

        Returns
        -------
        SensitivityIndices or dict of SensitivityIndices
            The indices of the output, or of all outputs by name.
        """
        if output is not None:
            if output not in self.scalar_outputs:
                raise ArgumentError(
                    unknown_name_message("output that is a number", output, self.scalar_outputs), concerns="output"
                )
            return self._indices(output)
        return {name: self._indices(name) for name in self.scalar_outputs}

    def _indices(self, output: str) -> SensitivityIndices:
        if self.design.method == "saltelli":
            return sobol_indices(output, self.inputs, self[output].reshape(-1, self.design.group_size), self.design.seed)
        return rank_correlations(output, self.inputs, self.values(), self[output])

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
        from lagrangian.studies.files import save_study

        return save_study(self, path)

    def counts(self) -> dict[str, int]:
        """Count the chunks of the study.

        "chunks" is how many there are, "begun" how often one was begun, "kept" how many results were stored, and "kept twice"
        how many of them more than once. A chunk whose worker was killed is begun again; none should be kept twice.
        """
        begun, stored = self._folder.counts(set(self._keys))
        return {
            "chunks": len(self._keys),
            "begun": sum(begun.values()),
            "kept": sum(stored.values()),
            "kept twice": sum(n > 1 for n in stored.values()),
        }

    def summary(self) -> str:
        """Describe the study in a few lines: its samples, its failures, and statistics of its results."""
        words = {"grid": "on a grid", "random": "at random", "latin": "in a Latin hypercube", "sobol": "by Sobol's sequence"}
        method_text = words.get(self.design.method, "by Saltelli's design")
        if self.design.grid_axes and self.design.distributions:
            method_text = (
                f"at {len(self) // self.design.samples_per_point} points of a grid, {self.design.draws} at each {method_text}"
            )
        lines = [f"{self.name}: {len(self)} samples of {', '.join(self.inputs)} {method_text}"]
        if not self.complete:
            lines.append(f"{self.completed_count} of them are computed; {self._continuation_hint()}")
        if self.failed:
            first = next(iter(self.failed))
            lines.append(f"{len(self.failed)} failed; the first is sample {first}: {self.failed[first]}")
        statistics = self.statistics()
        name_width = max(map(len, statistics), default=0)
        for name, x in statistics.items():
            numbers = f"mean {x['mean']:.5g}, standard deviation {x['deviation']:.3g}, from {x['min']:.5g} to {x['max']:.5g}"
            lines.append(f"  {name:<{name_width}}  {numbers}")
        return "\n".join(lines)

    __str__ = summary

    def _continuation_hint(self) -> str:
        """What another call of `study` does with a study that is not complete."""
        if self.about.get("source") == package_digest().hex():
            return "run the study again to continue"
        return "another version of lagrangian began the study, so that running it again computes all samples again"

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Study {self.name!r}: {self.completed_count} of {len(self)} samples{failed}; {', '.join(self.outputs)}>"


def study_units(mechanism: Mechanism | None, inputs: tuple[str, ...], keep: Mapping[str, str] | None) -> dict[str, str]:
    """The SI units of inputs and outputs by name, "" where they do not follow from the mechanism.

    `keep` has the texts of the outputs, and is None for the outputs of a function.
    """
    if mechanism is None:
        return {}
    unit_by_quantity = quantity_units(mechanism)
    units = {name: unit_by_quantity.get(name, "") or parameter_unit(mechanism, name) for name in inputs}
    for name, text in (keep or {}).items():
        try:
            (column,) = as_output_columns({name: text}, mechanism, None)
        except LagrangianError:  # of constraints, and of events that the run alone has
            continue
        units[name] = _column_unit(column, unit_by_quantity)
    return units


def _column_unit(column: OutputColumn, unit_by_quantity: Mapping[str, str]) -> str:
    parts = dict(unit_by_quantity)
    for part in column.parts:
        inner = _expression_unit(part.inner, unit_by_quantity)
        unit_by_function = {"time": "s", "count": ""}
        parts[part.name] = unit_by_function.get(part.function, _times_seconds(inner) if part.function == "integral" else inner)
    return _expression_unit(column.outer, parts)


def _expression_unit(x: Scalar, unit_by_quantity: Mapping[str, str]) -> str:
    """The unit of an expression, which is known for sums and multiples of quantities with the same unit."""
    if not isinstance(x, Expression):
        return ""
    if x.operation == "symbol":
        return unit_by_quantity.get(x.name, "")
    if x.operation in ("*", "/"):
        first, second = x.arguments
        if not isinstance(second, Expression):
            return _expression_unit(first, unit_by_quantity)
        return _expression_unit(second, unit_by_quantity) if x.operation == "*" and not isinstance(first, Expression) else ""
    operand_units = {_expression_unit(y, unit_by_quantity) for y in x.arguments}
    return operand_units.pop() if x.operation in _KEEP_UNIT and len(operand_units) == 1 else ""


def _times_seconds(unit: str) -> str:
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s" if unit and "/" not in unit else ""
