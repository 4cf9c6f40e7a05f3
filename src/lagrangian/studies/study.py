"""`lagrangian.study`: a mechanism, what to vary, how to run it, and what to keep; out comes a `Study`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lagrangian.arguments import count, texts
from lagrangian.configuration.reading import configuration
from lagrangian.description.mechanism_of import MechanismLike, mechanism_of
from lagrangian.errors import ArgumentError, StudyWarning, shown, warn
from lagrangian.files import as_path
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.files import described, file_stem
from lagrangian.studies import cluster, local, names
from lagrangian.studies import keep as keeping
from lagrangian.studies.check import check_settings
from lagrangian.studies.design import Design
from lagrangian.studies.distributions import VariedLike
from lagrangian.studies.evaluate import rows_in_lanes
from lagrangian.studies.folder import Folder
from lagrangian.studies.job import Function, Job, checked_run, chunk_size, state_of
from lagrangian.studies.result import Study
from lagrangian.studies.worker import IN_WORKER
from lagrangian.types import Progress


def study(
    mechanism: MechanismLike | None,
    over: Mapping[str, VariedLike],
    run: Mapping[str, Any] | Function | None = None,
    keep: str | Sequence[str] | Mapping[str, str] | None = None,
    *,
    name: str | None = None,
    method: str = "auto",
    samples: int | None = None,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    chunk: int | None = None,
    progress: Progress = None,
) -> Study:
    """Simulate a mechanism for many values of its parameters, and keep some results of every motion.

    The samples are a grid, or are drawn from distributions. Results are kept in a folder, chunk by chunk: if you stop a study
    and call it again, it continues from there and computes nothing twice. A sample that fails is recorded with the reason, and
    the others continue. Ctrl-C ends a study with a KeyboardInterrupt; `read_study` reads what it has computed.

    Parameters
    ----------
    mechanism : Mechanism, str, path or None
        The mechanism, the name of one in the library, or a file. None is possible if `run` is a function.
    over : mapping
        What to vary: the names of parameters, of numbers of parts ("link3.mass"), of coordinates and speeds at the beginning
        ("theta1", "qd_theta1"), or of constants in the torques of `run`. Each is mapped to a `span` or a list of values, which
        make a grid, or to a distribution: `uniform`, `normal`, `lognormal`, `triangular` or `choice`.
    run : mapping or callable, optional
        Arguments of `simulate`, such as `{"t_span": 10}`; or a function of (mechanism, sample) that returns a number or a
        mapping of names to numbers. The function must be defined at the top level of a module.
    keep : str, list of str or mapping, optional
        The results to keep of every motion, such as "max(tip.x)", "rms(tau_theta1)", "time(landing)" or "rows(theta1)"; a
        mapping gives them names of your own.
    name : str, optional
        The name of the study; that of the mechanism by default.
    method : str, optional
        How samples are chosen: "grid", "random", "latin" (a Latin hypercube), "sobol" (Sobol's sequence), or "saltelli", which
        gives Sobol's indices. "auto", the default, takes "sobol" if there are distributions and "grid" otherwise.
    samples : int, optional
        The number of samples of the distributions; 1024 by default. If there is a grid, this many are drawn at each of its
        points, the same at every point.
    seed : int, optional
        The seed of the samples; 0 by default.
    folder : str or path, optional
        The folder of the results; `<name>-study` in the current folder by default.
    workers : int, optional
        The number of processes on this computer; one for each core by default.
    scheduler : str, optional
        The address of a running Dask cluster, such as "tcp://host:8786". Its workers must see the same folder.
    chunk : int, optional
        The number of samples that are computed and stored together; about a second's work by default.
    progress : callable, optional
        A function of (done, total) that is called with numbers of samples.

    Returns
    -------
    Study
        The samples and the results.

    Raises
    ------
    ArgumentError
        If a name, a distribution, the run or a result is not understood. This is found before anything is computed.

    See Also
    --------
    read_study : Read the results of a study from its folder.
    simulate : Simulate one motion, or many with all their rows.

    Examples
    --------
    A grid of three lengths:

    >>> import lagrangian as lg
    >>> study = lg.study("pendulum", {"L": lg.span(0.5, 1.5, 3)}, {"t_span": 2}, "max(qd_theta)", workers=1)
    >>> print(study)
    pendulum: 3 samples of L on a grid
      max(qd_theta)  mean 4.7701, standard deviation 1.36, from 3.6166 to 6.2642

    Manufacturing tolerances, as a sample of two distributions:

    >>> over = {"L": lg.normal(1.0, 0.01), "m": lg.uniform(0.95, 1.05)}
    >>> study = lg.study("pendulum", over, {"t_span": 2}, "max(qd_theta)", samples=64, folder="tolerances", workers=1)
    >>> print(study)
    pendulum: 64 samples of L, m by Sobol's sequence
      max(qd_theta)  mean 4.4296, standard deviation 0.0225, from 4.3702 to 4.4872
    """
    if os.environ.get(IN_WORKER):
        raise ArgumentError(
            "study() is called while a worker process reads the program",
            remedy="put what the program does below `if __name__ == '__main__':`, and functions above it",
        )
    job = job_of(mechanism, over, run, keep, method, samples, seed, chunk)
    many = local.cores() if workers is None else count(workers, "workers", least=1, most=10_000)
    if scheduler is not None and not isinstance(scheduler, str):
        raise ArgumentError(f"is {shown(scheduler)}; an address such as 'tcp://host:8786' is needed", argument="scheduler")
    arguments.check_progress(progress)
    called = _name(job) if name is None else texts(name, "name")[0]
    place = Folder(as_path(folder) if folder is not None else Path(f"{file_stem(called)}-study"))
    place.make()
    keys = [job.chunk_key(k) for k in range(job.chunks)]
    about = {"name": called, **_about(job, keys)}
    place.write_about(about)
    _complete(called, job, place, keys, many, scheduler, progress)
    return Study(place, about, job)


def _complete(
    called: str, job: Job, place: Folder, keys: list[str], workers: int, scheduler: str | None, progress: Progress
) -> None:
    """Compute the chunks that are not there, and say what is left out."""
    there = place.kept()
    todo = [k for k, key in enumerate(keys) if key not in there or place.load(key) is None]
    total, left = job.design.count, sum(_length(job, k) for k in todo)
    if progress is not None:
        progress(total - left, total)
    if not todo:
        return
    lost: dict[int, str] = {}
    try:
        for chunk, error in _computed(job, place, todo, workers, scheduler):
            left -= _length(job, chunk)
            if error:
                lost[chunk] = error
            if progress is not None:
                progress(total - left, total)
    except KeyboardInterrupt:
        told = f"interrupted after {total - left} of {total} samples; run it again, and it continues from there"
        raise KeyboardInterrupt(f"{called}: {told}") from None
    if lost:
        first = next(iter(lost))
        span = "samples {} to {}".format(*job.range_of(first))
        more = f", and of {len(lost) - 1} more chunks" if len(lost) > 1 else ""
        warn(f"{called}: the results of {span}{more} are missing: {lost[first]}", StudyWarning)


def _computed(job: Job, place: Folder, todo: list[int], workers: int, scheduler: str | None) -> Iterator[local.Done]:
    if scheduler is not None:
        return cluster.computed(job, place, todo, scheduler)
    return local.computed(job, place, todo, min(workers, len(todo)))


def _length(job: Job, chunk: int) -> int:
    first, last = job.range_of(chunk)
    return last - first


# -- what is asked for --------------------------------------------------------------------------------------------------


def job_of(
    mechanism: Any,
    over: Any,
    run: Any = None,
    keep: Any = None,
    method: str = "auto",
    samples: int | None = None,
    seed: int = 0,
    chunk: int | None = None,
) -> Job:
    """The study, checked before anything long begins."""
    settings = checked_run(run)
    model = mechanism_of(mechanism) if mechanism is not None else None
    varied = names.read(over, model)
    design = Design.of(varied, method, samples, seed)
    if callable(settings):
        columns = None if keep is None else _columns(keep)
        kinds = names.sorted_out(varied, model, free=True)
        if model is not None and (kinds.coordinates or kinds.speeds):
            kinds = names.Names(kinds.parameters, others=(*kinds.coordinates, *kinds.speeds, *kinds.others))
        job = Job(model, design, kinds, settings, columns, 1)
        return replace(job, size=chunk_size(chunk, job))
    if model is None:
        raise ArgumentError("without a mechanism, run must be a function of (mechanism, sample)", concerns="mechanism")
    own, model = model, names.with_constants(model, varied, settings)
    kinds = names.sorted_out(varied, model, free=False)
    kinds = replace(kinds, constants=tuple(name for name in kinds.parameters if name in {*model.parameters} - {*own.parameters}))
    span = arguments.span(settings.get("t_span"), model)
    asked = keeping.usual(model, _driven(model, settings), design.count) if keep is None else keep
    check_settings(model, settings, span)
    found = keeping.kept(asked, model, settings.get("events"), compiled(model).constraint_names)
    names.tell_of_unused(model, kinds, settings)
    job = Job(model, design, kinds, settings, {x.name: x.text for x in found}, 1, span, state_of(settings))
    return replace(job, size=chunk_size(chunk, job, rows_in_lanes(job)))


def _columns(keep: Any) -> dict[str, str]:
    if isinstance(keep, Mapping):
        raise ArgumentError("is a mapping; for a function, list the results to keep: ['reach', 'effort']", argument="keep")
    return {name: name for name in texts(keep, "keep")}


def _driven(model: Mechanism, run: Mapping[str, Any]) -> list[str]:
    """The speeds that torques act on."""
    torque = run.get("torque")
    if torque is None:
        return [name for name, _ in model.initial.torque]
    if isinstance(torque, Mapping):
        return [name for name in torque if name in model.speed_names]
    return list(model.speed_names[:12]) if torque is not False and torque != 0 else []


def _name(job: Job) -> str:
    if job.mechanism is not None:
        return job.mechanism.name
    return str(getattr(job.run, "__name__", "study"))


def _about(job: Job, keys: list[str]) -> dict[str, Any]:
    """What the study is about, for those who read its folder."""
    from lagrangian import __version__

    run = job.run
    settings = {name: shown(x, 200) for name, x in run.items()} if isinstance(run, Mapping) else f"{run.__module__}.{_name(job)}"
    return {
        "mechanism": job.mechanism.name if job.mechanism is not None else "",
        "description": described(job.mechanism) if job.mechanism is not None else "",
        "version": __version__,
        "over": {name: str(x) for name, x in job.design.over.items()},
        "kinds": {field.name: list(getattr(job.names, field.name)) for field in fields(job.names)},
        "nominal": _nominal(job),
        "method": job.design.method,
        "draws": job.design.draws,
        "seed": job.design.seed,
        "run": settings,
        "span": list(job.span),
        "keep": job.keep if job.keep is None else dict(job.keep),
        "size": job.size,
        "key": job.key,
        "chunks": keys,
    }


def _nominal(job: Job) -> dict[str, float]:
    """The mechanism's own values of what is varied, as far as it has them."""
    model = job.mechanism
    if model is None:
        return {}
    known = {n: float(x) for n, x in model.parameters.items() if n not in job.names.constants}
    if isinstance(job.run, Mapping) and job.names.coordinates:
        start = configuration(model, job.run.get("q0"))
        given = dict(zip(model.coordinate_names, start.q.tolist(), strict=True))
        known |= {n: given[n] for n in (given if start.names is None else start.names)}
    return {n: known[n] for n in job.design.names if n in known}
