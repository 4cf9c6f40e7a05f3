"""The samples and results of a study in one file: netCDF, or CSV for spreadsheets; and a study read from its folder."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError, as_cell
from lagrangian.files import as_path, as_target_path, replacing, write
from lagrangian.motion.storage import netcdf
from lagrangian.motion.storage.netcdf import Table, Variable
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.result import Study

_ROWS = 100_000  # samples of a CSV file that are written at a time


def save_study(study: Study, path: str | os.PathLike[str]) -> Path:
    """Write a study to a .nc or .csv file."""
    target = as_path(path)
    if target.suffix not in (".nc", ".csv"):
        raise ArgumentError(f"{target}: a study is saved as netCDF (.nc) or as text (.csv)", concerns="path")
    as_target_path(target)
    if target.suffix == ".nc":
        return write(target, netcdf.written(study_table(study)))
    _write_csv(study, target)
    return target


def study_table(study: Study) -> Table:
    """A table of all inputs and outputs along the dimension `sample`, with the reasons of failures."""
    data = {}
    for name in (*study.inputs, *study.outputs):
        values = study[name]
        dims = ("sample", f"row_{values.shape[1]}") if values.ndim == 2 else ("sample",)
        data[_variable_name(name)] = Variable(
            dims, values, {"long_name": name, "role": "input" if name in study.inputs else "output"}
        )
    failed = study.failed
    data["failed_sample"] = Variable(("failure",), np.array(list(failed), dtype=np.float64))
    data["failed_reason"] = Variable(("failure",), np.array(list(failed.values()), dtype=str))
    about = {"format": "lagrangian study table 1", "study": study.name, "method": study.design.method, "seed": study.design.seed}
    return Table(data, about)


def _variable_name(name: str) -> str:
    """A name that netCDF accepts: there a slash would separate groups."""
    return name.replace("/", "÷").strip()


def _write_csv(study: Study, target: Path) -> None:
    """Write a row for each sample, `_ROWS` at a time. CSV files have no curves."""
    names = [*study.inputs, *study.scalar_outputs]
    failed = study.failed
    outputs = [study[name] for name in study.scalar_outputs]
    with replacing(target) as partial_file, partial_file.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sample", *map(as_cell, names), "failed"])
        for first in range(0, len(study), _ROWS):
            last = min(first + _ROWS, len(study))
            block = np.column_stack([study.design.values(first, last), *(x[first:last] for x in outputs)])
            text = io.StringIO(newline="")
            lines = csv.writer(text)
            lines.writerows([first + k, *row, as_cell(failed.get(first + k, ""))] for k, row in enumerate(block.tolist()))
            file.write(text.getvalue())


def read_study(folder: str | os.PathLike[str]) -> Study:
    """Read a study from its folder, complete or as far as it has come.

    Parameters
    ----------
    folder : str or path
        The folder that `study` wrote.

    Returns
    -------
    Study
        The samples and the results. Its mechanism can be read, but `Study.motion` needs the study itself.

    Raises
    ------
    DescriptionError
        If there is no such folder, or if it is not that of a study.

    Examples
    --------
    >>> import lagrangian as lg
    >>> over = {"L": lg.distributions.grid(0.5, 1.5, 3)}
    >>> study = lg.study("pendulum", over, {"t_span": 2}, "max(qd_theta)", folder="lengths", workers=1)
    >>> stored = lg.read_study("lengths")
    >>> print(stored.complete, stored["L"])
    True [0.5 1.  1.5]
    """
    study_folder = StudyFolder(as_path(folder))
    if not study_folder.path.is_dir():
        raise DescriptionError(f"{study_folder.path}: there is no such folder")
    about = study_folder.read_about()
    try:
        return Study(study_folder, about)
    except (KeyError, TypeError, ValueError) as error:
        raise DescriptionError(f"{study_folder.about_file}: it is incomplete or damaged: {error}") from None
