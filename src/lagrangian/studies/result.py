"""The results of a study: arrays by name, complete or as far as they are."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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

QUANTILES = (0.05, 0.5, 0.95)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(\.\d+)?(e[-+]?\d+)?(?![\w])")


class Study(ShownStudy):
    """Samples and what was kept of each: `study["l1"]` and `study["max(tip.x)"]` are arrays with an entry for every sample.

    Entries of samples that failed, or have not been computed yet, are NaN; `failed` says why each of them failed. `complete` is
    whether all were computed. Results lie in the study's `folder`, and are read from there when they are asked for.
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
        return self._folder.path

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names that are varied."""
        return self.design.names

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The names of what is kept."""
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
        """Those of the outputs that are one number of every sample."""
        return tuple(name for name, shape in self._shapes.items() if not shape)

    @property
    def curves(self) -> tuple[str, ...]:
        """Those of the outputs that are rows over time."""
        return tuple(name for name, shape in self._shapes.items() if shape)

    def __len__(self) -> int:
        return self.design.count

    @cached_property
    def done(self) -> int:
        """How many samples were computed, those that failed included."""
        kept = self._folder.kept()
        return sum(min(self._size, len(self) - k * self._size) for k, key in enumerate(self._keys) if key in kept)

    @property
    def complete(self) -> bool:
        return self.done == len(self)

    @cached_property
    def failed(self) -> dict[int, str]:
        """The samples that failed, by their indices, with the reason of each."""
        return {k: why for _, failed in self._chunks() for k, why in failed.items()}

    def _chunks(self) -> Iterator[tuple[dict[str, np.ndarray], dict[int, str]]]:
        for key in self._keys:
            found = self._folder.load(key)
            if found is not None:
                yield found

    @cached_property
    def mechanism(self) -> Mechanism | None:
        """The mechanism with its own values; of a study that was read, as its folder has it, or None."""
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
        """The SI units of inputs and outputs by their names, as far as they follow from the mechanism."""
        from lagrangian.studies.units import units_of

        return units_of(self.mechanism, self.inputs, self.about["keep"] if isinstance(self.about.get("run"), dict) else None)

    def reasons(self) -> list[tuple[str, int, int]]:
        """Why samples failed: each reason as the first of them has it, how many have it, and which was the first.

        The commonest comes first. Reasons that differ in their numbers alone are the same.
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
        """The samples: a row each, with a column for every input."""
        return self.design.values(0, len(self))

    def sample(self, index: int) -> dict[str, float]:
        """The values of the inputs of one sample."""
        k = count(index, "index", least=0, most=len(self) - 1)
        return dict(zip(self.inputs, self.design.values(k, k + 1)[0].tolist(), strict=True))

    def table(self) -> np.ndarray:
        """All inputs and outputs as one structured array."""
        kinds = [(name, "f8") for name in self.inputs] + [(name, "f8", shape) for name, shape in self._shapes.items()]
        found = np.empty(len(self), dtype=kinds)
        for name in found.dtype.names or ():
            found[name] = self[name]
        return found

    def on_grid(self, name: str) -> np.ndarray:
        """An output with an axis for each span, and after them one for the draws, if there are any."""
        if not self.design.spans:
            raise ArgumentError(f"{self.name} has no grid; its inputs are drawn")
        values = self[name]
        draws = (self.design.per_point,) if self.design.drawn else ()
        return values.reshape(*self.design.shape, *draws, *values.shape[1:])

    def motion(self, index: int) -> Any:
        """The motion of one sample, simulated again."""
        if self._job is None or callable(self._job.run):
            what = "its run is a function" if self._job is not None else "it was read from its folder"
            raise ArgumentError(
                f"{self.name}: {what}, so that it has no motions to show",
                remedy="" if self._job is not None else "call study(...) with the same arguments: what is computed is not again",
            )
        from lagrangian.studies.evaluate import motion_of

        return motion_of(self._job, self.sample(index))

    # -- what they say -----------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, dict[str, float]]:
        """Of every output that is a number: how many there are, mean, standard deviation, extremes, and quantiles."""
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
        """How much each input matters to each output, or to one that is named.

        Sobol's indices of first and total order for samples by the method "saltelli"; else Spearman's rank correlations.
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
        """Write all samples and results to one file: netCDF (.nc) or text (.csv)."""
        from lagrangian.studies.files import save

        return save(self, path)

    def counts(self) -> dict[str, int]:
        """Of the study's chunks: how many there are, were begun and were kept, and how many of these more than once.

        A chunk whose worker was killed is begun again. None is kept twice.
        """
        begun, kept = self._folder.counts(set(self._keys))
        return {
            "chunks": len(self._keys),
            "begun": sum(begun.values()),
            "kept": sum(kept.values()),
            "kept twice": sum(n > 1 for n in kept.values()),
        }

    def summary(self) -> str:
        """What was computed, and the statistics of the results."""
        words = {"grid": "on a grid", "random": "at random", "latin": "in a Latin hypercube", "sobol": "by Sobol's sequence"}
        how = words.get(self.design.method, "by Saltelli's design")
        if self.design.spans and self.design.drawn:
            how = f"at {len(self) // self.design.per_point} points of a grid, {self.design.draws} at each {how}"
        lines = [f"{self.name}: {len(self)} samples {how}, of {', '.join(self.inputs)}"]
        if not self.complete:
            lines.append(f"{self.done} of them are computed; the same study goes on from there")
        if self.failed:
            first = next(iter(self.failed))
            lines.append(f"{len(self.failed)} failed; the first, {first}: {self.failed[first]}")
        found = self.statistics()
        wide = max(map(len, found), default=0)
        for name, x in found.items():
            numbers = f"mean {x['mean']:.5g}, deviation {x['deviation']:.3g}, from {x['min']:.5g} to {x['max']:.5g}"
            lines.append(f"  {name:<{wide}}  {numbers}")
        return "\n".join(lines)

    __str__ = summary

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<Study {self.name!r}: {self.done} of {len(self)} samples{failed}; {', '.join(self.outputs)}>"
