"""How numbers are spread over many motions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from lagrangian.errors import ArgumentError, unknown_name_message

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Statistics(Mapping[str, np.ndarray]):
    """`["mean"]`, `["std"]`, `["min"]`, `["max"]` and quantiles such as `["0.95"]`: arrays with an entry for each of `names`.

    `of(name)` has all of them for one name. Of numbers without names, `names` is empty.
    """

    def __init__(self, values: np.ndarray, names: tuple[str, ...] = ()) -> None:
        """Over the first axis of the values."""
        self.names, self.count = names, len(values)
        self._found = {
            "mean": values.mean(axis=0),
            "std": values.std(axis=0),
            "min": values.min(axis=0),
            "max": values.max(axis=0),
            **{f"{p:g}": x for p, x in zip(QUANTILES, np.quantile(values, QUANTILES, axis=0), strict=True)},
        }

    def __getitem__(self, what: str) -> np.ndarray:
        if what not in self._found:
            raise KeyError(unknown_name_message("statistic", what, self._found))
        return self._found[what]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def of(self, name: str) -> dict[str, float]:
        """Return all statistics of one quantity.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        dict
            The statistics as numbers, by name.
        """
        if name not in self.names:
            raise ArgumentError(unknown_name_message("name", name, self.names))
        k = self.names.index(name)
        return {what: float(x[k]) for what, x in self._found.items()}

    def __str__(self) -> str:
        """A table: a line for each name."""
        if not self.names:
            return "\n".join(f"{what:<4}  {x}" for what, x in self._found.items())
        cells = [["", *self._found], *([name, *(f"{x:.5g}" for x in self.of(name).values())] for name in self.names)]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ([x.ljust(wide[0]) if k == 0 else x.rjust(wide[k]) for k, x in enumerate(row)] for row in cells)
        return "\n".join("  ".join(line) for line in lines)

    def __repr__(self) -> str:
        return f"<Statistics of {', '.join(self.names) or 'numbers'}, over {self.count} motions>"
