"""`lagrangian.study` simulates a mechanism for many values of its parameters and returns the results as a `Study`."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lagrangian.arguments import count, texts
from lagrangian.configuration import state_arguments
from lagrangian.configuration.state_arguments import as_configuration
from lagrangian.description.mechanism_like import MechanismLike, as_mechanism
from lagrangian.errors import ArgumentError, ArgumentName, DescriptionError, StudyWarning, error_location, format_value, warn
from lagrangian.files import as_path
from lagrangian.kernels.dynamics import compile as compile_mechanism
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.arguments import Options
from lagrangian.motion.files import described, file_stem
from lagrangian.motion.recipe import Recipe
from lagrangian.motion.simulate import simulate
from lagrangian.studies import cluster, local, reductions, varied_names
from lagrangian.studies.digest import package_digest
from lagrangian.studies.distributions import VariedInputLike, as_varied_input
from lagrangian.studies.evaluate import batch_row_count
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.job import Function, Settings, StudyJob, as_run, chunk_size, pickle_settings
from lagrangian.studies.result import Study
from lagrangian.studies.sampling import SamplingDesign
from lagrangian.studies.worker import IN_WORKER
from lagrangian.types import Progress

OTHER_VERSION_MESSAGE = "was begun with another version of lagrangian, whose results do not mix with those of this one"
# the entries of study.json in which two studies agree if they have the same samples and results
_DEFINING_ENTRIES = ("mechanism", "description", "kinds", "method", "draws", "seed", "run", "keep")


def study(
    mechanism: MechanismLike | None,
    over: Mapping[str, VariedInputLike],
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
        ("theta1", "qd_theta1"), or of constants in the torques of `run`. Each is mapped to a `grid` or a list of values, which
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
    >>> study = lg.study("pendulum", {"L": lg.distributions.grid(0.5, 1.5, 3)}, {"t_span": 2}, "max(qd_theta)", workers=1)
    >>> print(study)
    pendulum: 3 samples of L on a grid
      max(qd_theta)  mean 4.7701, standard deviation 1.36, from 3.6166 to 6.2642

    Manufacturing tolerances, as a sample of two distributions:

    >>> over = {"L": lg.distributions.normal(1.0, 0.01), "m": lg.distributions.uniform(0.95, 1.05)}
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
    job = make_job(mechanism, over, run, keep, method, samples, seed, chunk)
    worker_count = local.core_count() if workers is None else count(workers, "workers", least=1, most=10_000)
    if scheduler is not None and not isinstance(scheduler, str):
        raise ArgumentError(f"is {format_value(scheduler)}; an address such as 'tcp://host:8786' is needed", argument="scheduler")
    arguments.check_progress(progress)
    study_name = _default_name(job) if name is None else texts(name, "name")[0]
    study_folder = StudyFolder(as_path(folder) if folder is not None else Path(f"{file_stem(study_name)}-study"))
    study_folder.create()
    keys = [job.chunk_key(k) for k in range(job.chunk_count)]
    about = {"name": study_name, **describe_job(job, keys)}
    _warn_of_other_version(study_folder, about)
    study_folder.write_about(about)
    _compute_missing(study_name, job, study_folder, keys, worker_count, scheduler, progress)
    return Study(study_folder, about, job)


def make_job(
    mechanism: Any,
    over: Any,
    run: Any = None,
    keep: Any = None,
    method: str = "auto",
    samples: int | None = None,
    seed: int = 0,
    chunk: int | None = None,
) -> StudyJob:
    """Make the job of a study and check it, before any sample is computed."""
    settings = as_run(run)
    model = as_mechanism(mechanism) if mechanism is not None else None
    varied = varied_names.as_varied_inputs(over, model)
    design = SamplingDesign.from_arguments(varied, method, samples, seed)
    if callable(settings):
        return _function_job(model, design, settings, keep, chunk)
    if model is None:
        raise ArgumentError("without a mechanism, run must be a function of (mechanism, sample)", concerns="mechanism")
    return _simulation_job(model, design, settings, keep, chunk)


def _function_job(model: Mechanism | None, design: SamplingDesign, run: Function, keep: Any, chunk: int | None) -> StudyJob:
    """The job of a study that calls a Python function for each sample."""
    columns = None if keep is None else _function_outputs(keep)
    kinds = varied_names.classify_names(design.over, model, free=True)
    if model is not None and (kinds.coordinates or kinds.speeds):
        kinds = varied_names.VariedNames(kinds.parameters, others=(*kinds.coordinates, *kinds.speeds, *kinds.others))
    job = StudyJob(model, design, kinds, run, columns, 1)
    return replace(job, chunk_size=chunk_size(chunk, job))


def _simulation_job(model: Mechanism, design: SamplingDesign, settings: Settings, keep: Any, chunk: int | None) -> StudyJob:
    """The job of a study that simulates each sample."""
    original, model = model, varied_names.with_constants(model, design.over, settings)
    kinds = varied_names.classify_names(design.over, model, free=False)
    kinds = replace(
        kinds, constants=tuple(name for name in kinds.parameters if name in {*model.parameters} - {*original.parameters})
    )
    span = arguments.span(settings.get("t_span"), model)
    outputs = reductions.default_outputs(model, _driven_speeds(model, settings), design.count) if keep is None else keep
    check_settings(model, settings, span)
    output_columns = reductions.as_output_columns(
        outputs, model, settings.get("events"), compile_mechanism(model).constraint_names
    )
    varied_names.warn_of_unused(model, kinds, settings)
    job = StudyJob(model, design, kinds, settings, {x.name: x.text for x in output_columns}, 1, span, pickle_settings(settings))
    return replace(job, chunk_size=chunk_size(chunk, job, batch_row_count(job)))


def _function_outputs(keep: Any) -> dict[str, str]:
    if isinstance(keep, Mapping):
        raise ArgumentError("is a mapping; for a function, list the results to keep: ['reach', 'effort']", argument="keep")
    return {name: name for name in texts(keep, "keep")}


def _driven_speeds(model: Mechanism, run: Mapping[str, Any]) -> list[str]:
    """The names of the speeds on which torques act."""
    torque = run.get("torque")
    if torque is None:
        return [name for name, _ in model.initial.torque]
    if isinstance(torque, Mapping):
        return [name for name in torque if name in model.speed_names]
    return list(model.speed_names[:12]) if torque is not False and torque != 0 else []


def check_settings(model: Mechanism, settings: Mapping[str, Any], span: tuple[float, float]) -> None:
    """Read the arguments of a run as `simulate` does, for the mechanism with its own numbers; nothing is integrated.

    An error that every sample would have, such as a torque on a joint that does not exist, is thus found at once.
    """
    values_by_name = {name: x.default for name, x in inspect.signature(simulate).parameters.items()} | dict(settings)
    options = Options(**{field.name: values_by_name[field.name] for field in fields(Options)})
    recipe_values = {
        field.name: values_by_name[field.name] for field in fields(Recipe) if field.name not in ("options", "t_span")
    }
    with error_location(ArgumentName("run")):
        Recipe(t_span=span, options=options, **recipe_values).made(compile_mechanism(model))
        state_arguments.as_configuration(model, values_by_name["q0"])
        state_arguments.as_speeds(model, values_by_name["qd0"])
        arguments.grid(values_by_name["t_eval"], *span)


def _default_name(job: StudyJob) -> str:
    if job.mechanism is not None:
        return job.mechanism.name
    return str(getattr(job.run, "__name__", "study"))


def _warn_of_other_version(study_folder: StudyFolder, about: Mapping[str, Any]) -> None:
    """Warn that a study does not continue from what another version of the package has computed in its folder."""
    if study_folder.stored_keys() and was_begun_by_another_version(study_folder, about):
        warn(
            f"{about['name']}: the study in {study_folder.path} {OTHER_VERSION_MESSAGE}; all samples are computed again",
            StudyWarning,
        )


def was_begun_by_another_version(study_folder: StudyFolder, about: Mapping[str, Any]) -> bool:
    """Whether a folder holds the study that `describe_job` describes, begun by another version of the package."""
    try:
        stored = study_folder.read_about()
        if stored.get("source") == about["source"] or _varied_inputs(stored) != _varied_inputs(about):
            return False
    except (DescriptionError, ArgumentError):
        return False
    requested = json.loads(json.dumps(about))
    return all(stored.get(name) == requested[name] for name in _DEFINING_ENTRIES)


def _varied_inputs(about: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a description of a study by their names: versions write one input as different texts."""
    over = about.get("over")
    return {name: as_varied_input(text, "over") for name, text in over.items()} if isinstance(over, Mapping) else {}


def _compute_missing(
    study_name: str,
    job: StudyJob,
    study_folder: StudyFolder,
    keys: list[str],
    workers: int,
    scheduler: str | None,
    progress: Progress,
) -> None:
    """Compute the chunks that are missing, and warn of those that could not be computed."""
    stored = study_folder.stored_keys()
    missing_chunks = [k for k, key in enumerate(keys) if key not in stored or study_folder.load(key) is None]
    total, remaining = job.design.count, sum(_chunk_length(job, k) for k in missing_chunks)
    if progress is not None:
        progress(total - remaining, total)
    if not missing_chunks:
        return
    lost_chunks: dict[int, str] = {}
    try:
        for chunk, error in _compute_chunks(job, study_folder, missing_chunks, workers, scheduler):
            remaining -= _chunk_length(job, chunk)
            if error:
                lost_chunks[chunk] = error
            if progress is not None:
                progress(total - remaining, total)
    except KeyboardInterrupt:
        message = f"interrupted after {total - remaining} of {total} samples; run it again, and it continues from there"
        raise KeyboardInterrupt(f"{study_name}: {message}") from None
    if lost_chunks:
        first = next(iter(lost_chunks))
        samples_text = "samples {} to {}".format(*job.chunk_range(first))
        others_text = f", and of {len(lost_chunks) - 1} more chunks" if len(lost_chunks) > 1 else ""
        warn(f"{study_name}: the results of {samples_text}{others_text} are missing: {lost_chunks[first]}", StudyWarning)


def _compute_chunks(
    job: StudyJob, study_folder: StudyFolder, chunks: list[int], workers: int, scheduler: str | None
) -> Iterator[local.ChunkOutcome]:
    if scheduler is not None:
        return cluster.compute_on_cluster(job, study_folder, chunks, scheduler)
    return local.compute_locally(job, study_folder, chunks, min(workers, len(chunks)))


def _chunk_length(job: StudyJob, chunk: int) -> int:
    first, last = job.chunk_range(chunk)
    return last - first


def describe_job(job: StudyJob, keys: Sequence[str] = ()) -> dict[str, Any]:
    """The content of study.json, from which `read_study` makes a `Study`, but for its name."""
    from lagrangian import __version__

    run = job.run
    settings = (
        {name: format_value(x, 200) for name, x in run.items()}
        if isinstance(run, Mapping)
        else f"{run.__module__}.{_default_name(job)}"
    )
    return {
        "mechanism": job.mechanism.name if job.mechanism is not None else "",
        "description": described(job.mechanism) if job.mechanism is not None else "",
        "version": __version__,
        "source": package_digest().hex(),
        "over": {name: str(x) for name, x in job.design.over.items()},
        "kinds": {field.name: list(getattr(job.names, field.name)) for field in fields(job.names)},
        "nominal": _nominal_values(job),
        "method": job.design.method,
        "draws": job.design.draws,
        "seed": job.design.seed,
        "run": settings,
        "span": list(job.span),
        "keep": job.keep if job.keep is None else dict(job.keep),
        "size": job.chunk_size,
        "key": job.key,
        "chunks": list(keys),
    }


def _nominal_values(job: StudyJob) -> dict[str, float]:
    """The mechanism's own values of the inputs, as far as it has them."""
    model = job.mechanism
    if model is None:
        return {}
    values = {n: float(x) for n, x in model.parameters.items() if n not in job.names.constants}
    if isinstance(job.run, Mapping) and job.names.coordinates:
        start = as_configuration(model, job.run.get("q0"))
        start_values = dict(zip(model.coordinate_names, start.q.tolist(), strict=True))
        values |= {n: start_values[n] for n in (start_values if start.given_names is None else start.given_names)}
    return {n: values[n] for n in job.design.names if n in values}
