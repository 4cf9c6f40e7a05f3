"""Motions as netCDF files, which name their dimensions and units and open in every tool that reads HDF5."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lagrangian.description.toml import reader as toml
from lagrangian.description.toml.writer import to_toml
from lagrangian.errors import ArgumentError, DescriptionError, LagrangianError, ReaderWarning, unknown_name_message, warn
from lagrangian.files import as_path, as_target_path, write
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.events import Happening
from lagrangian.motion.motion import Motion
from lagrangian.motion.storage import netcdf
from lagrangian.motion.storage.checks import Checked
from lagrangian.motion.storage.netcdf import Table, Variable
from lagrangian.motion.wrench import ENTRIES

if TYPE_CHECKING:
    import xarray

FORMAT = "lagrangian motion 2"
JOINTS = 5000  # mechanisms with more are not written into a file: their text takes longer than their motion
ROWS = {  # dimension besides time, units, meaning
    "q": ("coordinate", "rad or m", "coordinates"),
    "qd": ("speed", "rad/s or m/s", "speeds"),
    "qdd": ("speed", "rad/s2 or m/s2", "accelerations"),
    "tau": ("speed", "N m or N", "joint forces"),
    "friction": ("speed", "N m or N", "friction at the joints"),
    "constraint_forces": ("speed", "N m or N", "generalised forces of the constraints, Psi^T lambda"),
    "multipliers": ("constraint", "N or N m", "multipliers of the constraints, lambda"),
    "kinetic_energy": ("", "J", "kinetic energy"),
    "potential_energy": ("", "J", "potential energy"),
    "drift": ("", "m or 1", "largest violation of a constraint"),
    "rate_drift": ("", "m/s or 1/s", "largest violation of a constraint's rate"),
}


def file_stem(name: str) -> str:
    """A mechanism's name as that of a file: letters and digits of any script, anything else between them an underscore."""
    import unicodedata

    kept = "".join(c if c in ".-_" or unicodedata.category(c)[0] in "LMN" else " " for c in name)
    short = "_".join(kept.split()).encode()[:120].decode(errors="ignore")  # file systems count bytes
    return short.strip("._-") or "motion"


def table(motion: Motion) -> Table:
    """All of a motion: its rows, its events and the names of their columns, with units."""
    data: dict[str, Variable] = {}
    for name, (dimension, units, meaning) in ROWS.items():
        dims = ("time", dimension) if dimension else ("time",)
        data[name] = Variable(dims, getattr(motion, name), {"units": units, "long_name": meaning})
    for what, values in motion.work.items():
        dims = ("time", "speed") if np.ndim(values) == 2 else ("time",)
        data[f"work_{what}"] = Variable(dims, values, {"units": "J", "long_name": f"work done by {what} since the beginning"})
    if motion.wrenches:
        values = np.stack(list(motion.wrenches.values()), axis=1)
        meaning = "wrenches from outside on frames, along the world's axes"
        data["wrenches"] = Variable(("time", "frame", "entry"), values, {"units": "N m, then N", "long_name": meaning})
        data |= {"frame": labels("frame", motion.wrenches), "entry": labels("entry", ENTRIES)}
    events = motion.events
    n, m = motion.q.shape[1], motion.qd.shape[1]
    data["event_name"] = labels("event", [e.name for e in events])
    data["event_time"] = Variable(("event",), np.array([e.t for e in events], dtype=float), {"units": "s"})
    data["event_q"] = Variable(("event", "coordinate"), np.array([e.q for e in events], dtype=float).reshape(len(events), n))
    data["event_qd"] = Variable(("event", "speed"), np.array([e.qd for e in events], dtype=float).reshape(len(events), m))
    data["time"] = Variable(("time",), motion.t, {"units": "s"})
    names = {"coordinate": motion.coordinate_names, "speed": motion.speed_names, "constraint": motion.constraint_names}
    data |= {dimension: labels(dimension, values) for dimension, values in names.items()}
    about = {
        "format": FORMAT,
        "mechanism": motion.name,
        "ending": json.dumps(motion.ending.to_dict()),
        "message": motion.message,  # for people: what is read again is `ending`
        "statistics": json.dumps(motion.statistics),
        **mechanism_of_file(motion.mechanism, motion.without_mechanism),
    }
    return Table(data, about)


def labels(dimension: str, values: Iterable[str]) -> Variable:
    """Texts along a dimension."""
    return Variable((dimension,), np.array(list(values), dtype=str))


def dataset(motion: Motion) -> xarray.Dataset:
    """All of a motion as an xarray Dataset; xarray is imported here only, because it brings pandas."""
    try:
        import xarray
    except ImportError:
        raise ArgumentError("to_xarray() needs xarray, which is not installed; pip install 'lagrangian[xarray]'") from None
    found = table(motion)
    data = {name: (v.dimensions, v.values, v.attributes) for name, v in found.variables.items()}
    labels = found.labels()
    return xarray.Dataset(
        {name: values for name, values in data.items() if name not in labels},
        {name: values for name, values in data.items() if name in labels},
        found.attributes,
    )


def mechanism_of_file(model: Mechanism | None, without: str = "") -> dict[str, str]:
    """The mechanism as TOML, and the file it came from, by which the paths of its meshes are found; or why it is not there."""
    if model is None:
        return {"mechanism_note": without} if without else {}
    if len(model.joints) > JOINTS:
        return {"mechanism_note": f"it has {len(model.joints)} joints; files carry mechanisms of up to {JOINTS}"}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            text = to_toml(model)
        except LagrangianError as error:
            return {"mechanism_note": str(error)}
    about = {"mechanism_toml": text, "mechanism_file": model.file}
    notes = [*model.notes, *(str(warning.message) for warning in said)]
    return about | ({"mechanism_note": "; ".join(notes)} if notes else {})


def described(model: Mechanism) -> str:
    """A mechanism as TOML; "" if it cannot be written so, or is too large."""
    if len(model.joints) > JOINTS:
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return to_toml(model)
        except LagrangianError:
            return ""


def _mechanism(source: Path, about: dict[str, Any], names: dict[str, tuple[str, ...]]) -> tuple[Mechanism | None, str]:
    """The mechanism a file carries, or why there is none."""
    text = about.get("mechanism_toml")
    if not isinstance(text, str):
        note = str(about.get("mechanism_note", ""))
        return None, f"could not be written into it: {note}" if note else ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these were said when it was first read
            model = toml.read_text(text).replace(file=str(about.get("mechanism_file", "")))
        problem = "" if _fits(model, names) else "its coordinates and constraints are not those of the motion"
    except LagrangianError as error:
        problem = str(error)
    if problem:
        warn(f"{source}: the mechanism in the file cannot be used: {problem}", ReaderWarning)
        return None, f"cannot be read from it: {problem}"
    return model, ""


def _fits(model: Mechanism, names: dict[str, tuple[str, ...]]) -> bool:
    return (model.coordinate_names, model.speed_names, model.equation_count) == (
        names["coordinate"],
        names["speed"],
        len(names["constraint"]),
    )


def save(motion: Motion, path: str | os.PathLike[str], angles: str = "radians") -> Path:
    """Write a netCDF file, with all there is; or a CSV file of its rows, for spreadsheets."""
    target = as_path(path)
    if not isinstance(angles, str) or angles not in ("radians", "degrees"):
        raise ArgumentError(unknown_name_message("angles", angles, ("radians", "degrees")), concerns="angles")
    if angles == "degrees" and target.suffix == ".nc":
        raise ArgumentError(f"{target}: a netCDF file has angles in radians", concerns="angles", remedy="a .csv may have degrees")
    if target.suffix not in (".nc", ".csv"):
        raise ArgumentError(f"{target}: a motion is saved as netCDF (.nc), or its rows as text (.csv)", concerns="path")
    as_target_path(target)
    return write(target, table_text(motion, angles) if target.suffix == ".csv" else netcdf.written(table(motion)))


def table_text(motion: Motion, angles: str = "radians") -> str:
    """Rows of t, coordinates, speeds, accelerations, torques and multipliers, each under its name; degrees are named there."""
    turns_q, turns_v = _turns(motion) if angles == "degrees" else ([False] * motion.q.shape[1], [False] * motion.qd.shape[1])
    parts = [
        ("q", motion.coordinate_names, *_degrees(motion.q, turns_q, " [deg]")),
        ("qd", motion.speed_names, *_degrees(motion.qd, turns_v, " [deg/s]")),
        ("qdd", motion.speed_names, *_degrees(motion.qdd, turns_v, " [deg/s2]")),
        ("tau", motion.speed_names, motion.tau, [""] * motion.tau.shape[1]),
        ("lambda", motion.constraint_names, motion.multipliers, [""] * motion.multipliers.shape[1]),
    ]
    names = ["t", *(f"{what}_{name}{unit}" for what, of, _, units in parts for name, unit in zip(of, units, strict=True))]
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(names)
    rows.writerows(np.hstack([motion.t[:, None], *(values for _, _, values, _ in parts)]).tolist())
    return text.getvalue()


def _turns(motion: Motion) -> tuple[list[bool], list[bool]]:
    """Which coordinates, and which speeds, are of angles."""
    joints = motion.model("angles in degrees need").joints
    return [u == "rad" for j in joints for u in j.kind.units], [not slides for j in joints for slides in j.kind.slides]


def _degrees(values: np.ndarray, turns: list[bool], unit: str) -> tuple[np.ndarray, list[str]]:
    """The columns of angles in degrees, and what is added to each column's name."""
    return np.where(turns, np.degrees(values), values), [unit if turn else "" for turn in turns]


def read(path: str | os.PathLike[str], mechanism: Mechanism | None = None) -> Motion:
    """Read a motion that `Motion.save` wrote.

    Parameters
    ----------
    path : str or path
        The netCDF file (.nc).
    mechanism : Mechanism, optional
        The mechanism, in place of the one in the file.

    Returns
    -------
    Motion
        The motion with its rows, energies and events. Between its rows `motion(t)` interpolates with cubic Hermite polynomials.

    Raises
    ------
    DescriptionError
        If the file does not exist, is damaged, or is not a motion of this version.
    ArgumentError
        If the coordinates of `mechanism` are not those of the motion.

    Examples
    --------
    >>> import lagrangian as lg
    >>> file = lg.simulate("pendulum", 2).save("swing.nc")
    >>> motion = lg.read(file)
    >>> print(motion.mechanism.name, len(motion.t))
    pendulum 1001
    """
    source = as_path(path)
    if source.suffix.lower() in (".toml", ".urdf", ".mjcf", ".xml", ".sdf", ".world"):
        raise DescriptionError(f"{source}: this describes a mechanism, not a motion; lagrangian.load({source.name!r}) reads it")
    if os.path.isfile(source / "study.json"):
        raise DescriptionError(f"{source}: this is the folder of a study; lagrangian.read_study({source.name!r}) reads it")
    if not os.path.isfile(source):  # which takes any text; a file system's limits are no errors
        raise DescriptionError(f"{source}: there is no such file")
    found, about = netcdf.read(source)
    other = str(about.get("format"))
    if other != FORMAT:
        if other.startswith("lagrangian motion "):
            raise DescriptionError(
                f"{source}: another version wrote this motion, in the format {other!r}; simulate it again, and save it"
            )
        if other.startswith("lagrangian motions"):
            remedy = f"xarray.open_dataset({source.name!r}, engine='h5netcdf') opens it"
            raise DescriptionError(f"{source}: these are many motions, not one", remedy=remedy)
        raise DescriptionError(f"{source}: this netCDF file is not a motion; its format is {other}")
    checked = Checked(source, found, about)
    names = {dim: checked.texts(dim) for dim in ("coordinate", "speed", "constraint")}
    if mechanism is not None and not _fits(mechanism, names):
        first, m = ", ".join(names["coordinate"][:8]), len(names["constraint"])
        told = f"the motion has the coordinates {first} and {m} constraint equations"
        raise ArgumentError(f"{source}: {told}; those of the mechanism that you gave differ")
    without = ""
    if mechanism is None:
        mechanism, without = _mechanism(source, about, names)
    t = checked.numbers("time", "time")
    if not np.isfinite(t).all() or (np.diff(t) < 0).any():
        raise DescriptionError(f"{source}: the motion is damaged: its times are not in order")
    rows: dict[str, Any] = {name: checked.numbers(name, "time", *([dim] if dim else [])) for name, (dim, _, _) in ROWS.items()}
    motion = Motion(
        mechanism=mechanism,
        name=checked.text("mechanism"),
        t=t,
        **rows,
        work={name.removeprefix("work_"): _work(checked, name) for name in found if name.startswith("work_")},
        coordinate_names=names["coordinate"],
        speed_names=names["speed"],
        constraint_names=names["constraint"],
        events=_events(checked),
        ending=checked.ending(),
        statistics=checked.statistics(),
        wrenches=_wrenches(checked) if "wrenches" in found else {},
    )
    motion.without_mechanism = without
    return motion


def _events(checked: Checked) -> list[Happening]:
    names = checked.texts("event_name", "event")
    t = checked.numbers("event_time", "event")
    q, qd = checked.numbers("event_q", "event", "coordinate"), checked.numbers("event_qd", "event", "speed")
    return [Happening(name, float(at), q[k], qd[k]) for k, (name, at) in enumerate(zip(names, t, strict=True))]


def _work(checked: Checked, name: str) -> np.ndarray:
    return checked.numbers(name, "time", *(["speed"] if np.ndim(checked.found[name]) == 2 else []))


def _wrenches(checked: Checked) -> dict[str, np.ndarray]:
    frames = checked.texts("frame")
    checked.sizes["entry"] = len(ENTRIES)
    values = checked.numbers("wrenches", "time", "frame", "entry")
    return {name: values[:, j] for j, name in enumerate(frames)}
