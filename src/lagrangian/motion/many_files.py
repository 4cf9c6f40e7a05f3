"""Many motions as netCDF or CSV files, with the names and units that a file of a single motion has."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lagrangian.errors import ArgumentError, as_cell
from lagrangian.files import as_path, as_target_path, write
from lagrangian.motion.files import ROWS, labels, mechanism_of_file
from lagrangian.motion.motions import Motions
from lagrangian.motion.storage import netcdf
from lagrangian.motion.storage.netcdf import Table, Variable

FORMAT = "lagrangian motions 1"
_STATES = {"q": "coordinate", "qd": "speed"}


def save(motions: Motions, path: str | os.PathLike[str]) -> Path:
    """Write a netCDF file, with all that was kept; or a CSV file with a row for each motion."""
    target = as_path(path)
    if target.suffix not in (".nc", ".csv"):
        raise ArgumentError(f"{target}: motions are saved as netCDF (.nc), or a row for each as text (.csv)", concerns="path")
    as_target_path(target)
    return write(target, _text(motions) if target.suffix == ".csv" else netcdf.written(table(motions)))


def table(motions: Motions) -> Table:
    """All that is known of the motions, along the dimension `motion`."""
    data = dict(_ends(motions))
    for name, values in motions.parameters.items():
        data[f"parameter_{name.replace('/', '÷')}"] = Variable(("motion",), values, {"long_name": name})
    if motions.kept.rows is not None:
        data["time"] = Variable(("time",), motions.t, {"units": "s"})
        for name, dimension in _STATES.items():
            data[name] = Variable(("motion", "time", dimension), getattr(motions, name), _about(name, ""))
    if motions.kept.extremes is not None:
        for name, values in motions.extremes.items():
            data[name] = Variable(("motion", _STATES[_quantity(name)]), values, _about_extreme(name))
    if motions.kept.events is not None:
        data |= _events(motions)
    data |= {"coordinate": labels("coordinate", motions.coordinate_names), "speed": labels("speed", motions.speed_names)}
    about = {"format": FORMAT, "mechanism": motions.name, "t_span": np.array(motions.span)}
    return Table(data, {**about, **mechanism_of_file(motions.mechanism)})


def _ends(motions: Motions) -> Iterator[tuple[str, Variable]]:
    """Where each began and ended, and how."""
    for name, dimension in _STATES.items():
        yield f"{name}0", Variable(("motion", dimension), getattr(motions, f"{name}0"), _about(name, " at the beginning"))
        yield f"{name}_end", Variable(("motion", dimension), getattr(motions, f"{name}_end"), _about(name, " at the end"))
    yield "t_end", Variable(("motion",), motions.t_end, {"units": "s", "long_name": "time of the end"})
    for name, steps in zip(("accepted", "rejected"), motions.steps.T, strict=True):
        yield f"steps_{name}", Variable(("motion",), steps.astype(float), {"long_name": f"steps that were {name}"})
    yield "status", labels("motion", (status.value for status in motions.status))
    yield "message", labels("motion", (motions.message(i) for i in range(len(motions))))


def _about(name: str, when: str) -> dict[str, str]:
    _, units, meaning = ROWS[name]
    return {"units": units, "long_name": f"{meaning}{when}"}


def _quantity(extreme: str) -> str:
    """`t_qd_max` is of qd."""
    return extreme.removeprefix("t_").rpartition("_")[0]


def _about_extreme(name: str) -> dict[str, str]:
    told = {"min": "least", "max": "greatest"}[name.rpartition("_")[2]]
    about = _about(_quantity(name), "")
    if name.startswith("t_"):
        return {"units": "s", "long_name": f"time of the {told} {about['long_name']}"}
    return {**about, "long_name": f"{told} {about['long_name']}"}


def _events(motions: Motions) -> dict[str, Variable]:
    """The events of all motions one after the other, each with the number of its motion."""
    found = [(i, event) for i in sorted(motions.events) for event in motions.events[i]]
    states = {name: np.array([getattr(e, name) for _, e in found], dtype=float) for name in _STATES}
    sizes = {"q": motions.mechanism.nq, "qd": motions.mechanism.nv}  # there may be no events
    return {
        "event_motion": Variable(("event",), np.array([i for i, _ in found], dtype=float), {"long_name": "its motion"}),
        "event_name": labels("event", (e.name for _, e in found)),
        "event_time": Variable(("event",), np.array([e.t for _, e in found], dtype=float), {"units": "s"}),
        **{
            f"event_{name}": Variable(("event", dimension), states[name].reshape(len(found), sizes[name]))
            for name, dimension in _STATES.items()
        },
    }


def _text(motions: Motions) -> str:
    """A row for each motion: what varied, where it began, where and how it ended."""
    states = ((f"{name}0", f"{name}_end") for name in _STATES)
    columns = {"motion": np.arange(len(motions)), **motions.parameters}
    for (begin, end), names in zip(states, (motions.coordinate_names, motions.speed_names), strict=True):
        for what in (begin, end):
            columns |= {f"{what}_{name}": getattr(motions, what)[:, k] for k, name in enumerate(names)}
    columns["t_end"] = motions.t_end
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow([*map(as_cell, columns), "status", "message"])
    values = zip(*(x.tolist() for x in columns.values()), strict=True)
    for i, row in enumerate(values):
        rows.writerow([*row, motions.status[i].value, as_cell(motions.message(i))])
    return text.getvalue()
