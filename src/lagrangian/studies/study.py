"""`lagrangian.study`: a mechanism, what to vary, how to run it, and what to keep; out comes a `Study`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
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
from lagrangian.studies.evaluate import rows_in_lanes
from lagrangian.studies.folder import Folder
from lagrangian.studies.job import Job, checked_run, chunk_size, state_of
from lagrangian.studies.result import Study
from lagrangian.studies.worker import IN_WORKER

Progress = Callable[[int, int], object]


def study(
    mechanism: MechanismLike | None,
    over: Mapping[str, Any],
    run: Any = None,
    keep: Any = None,
    *,
    name: str | None = None,
    method: str = "auto",
    samples: int | None = None,
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    chunk: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Simulate a mechanism for many values of its parameters, starts and gains, and keep some numbers of every motion.

    `over` says what is varied: names of parameters, of numbers of parts (`link3.mass`), of coordinates (where a motion begins),
    of speeds (`qd_theta1`), or of constants in the run's torques. Each is varied over `span(0.2, 0.4, 20)` or a list of values,
    which make a grid, or over a distribution: `uniform`, `normal`, `lognormal`, `triangular`, `choice`. `method` is "grid", or
    how `samples` of the distributions are drawn: "random", "latin" (a Latin hypercube), "sobol", or "saltelli", which gives
    Sobol's indices. At each point of a grid the same samples are drawn.

    `run` has arguments of `simulate`, such as {"t_span": 10}; or it is a function of (mechanism, sample) that gives a number or a
    mapping of numbers. `keep` names what is kept of every motion: "max(tip.x)", "rms(tau_theta1)", "rows(theta1)", a list of
    these, or a mapping of names of one's own to them.

    Results are kept in `folder`, chunk by chunk; a study that was stopped or killed goes on from there when it is called again,
    and computes nothing twice. `workers` are processes of this machine, one for each core unless it is said; `scheduler` is the
    address of a running Dask cluster, such as "tcp://host:8786", whose workers see the same folder. A sample that fails is
    recorded with its reason, and the others go on. `name` is what the study is called. `progress(done, total)` is told of the
    samples. Ctrl-C ends it with a KeyboardInterrupt, after its processes have ended; what was computed is kept, and
    `read_study(folder)` reads it.
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
    called: str, job: Job, place: Folder, keys: list[str], workers: int, scheduler: str | None, progress: Progress | None
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
        told = f"interrupted after {total - left} of {total} samples; run it again, and it goes on from there"
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
        raise ArgumentError("is a mapping; of a function's results, name those to keep: ['reach', 'effort']", argument="keep")
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
