"""Everything that is needed to compute any sample of a study, as it is handed to the processes that do it."""

from __future__ import annotations

import contextlib
import inspect
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, ArgumentName, format_value
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.digest import digest
from lagrangian.studies.sampling import SamplingDesign
from lagrangian.studies.varied_names import VariedNames

Settings = Mapping[str, Any]
Function = Callable[[Any, dict[str, float]], Any]  # of a mechanism and a sample
_CHUNK_SECONDS = 1.0  # what a chunk should take

# estimates in s, which are never measured: for a run, for other parameters, and for each second of the run and each speed
_PER_RUN, _PER_CHANGE, _PER_STEP = 5e-4, 2e-3, 1.5e-5
_PER_LANE, _PER_STEP_OF_A_LANE, _PER_NUMBER = 1e-5, 3e-6, 1e-7  # the same in lanes, and for each number that is kept
_STUDY_ARGUMENTS = ("mechanism", "parameters", "keep", "threads", "progress")  # arguments of simulate that the study sets
_CALLBACK_FACTOR = 50  # how much longer a run with Python functions takes
_MAX_CHUNK_SIZE = 8192  # samples
_MIN_CHUNKS = 64  # chunks that a study with a Python function has at least, if it has so many samples


@dataclass(frozen=True)
class StudyJob:
    """A study's mechanism, samples, settings, and what is kept, cut into chunks of `chunk_size` samples."""

    mechanism: Mechanism | None
    design: SamplingDesign
    names: VariedNames
    run: Settings | Function
    keep: Mapping[str, str] | None  # texts by the names of columns; of a function, None for all that it gives
    chunk_size: int
    span: tuple[float, float] = (0.0, 0.0)
    pickled_settings: bytes = b""  # of settings with objects that have a memory, such as controllers, as they were at first

    def settings(self) -> dict[str, Any]:
        """The settings of one simulation, with copies of their objects, so that no sample depends on those computed before it."""
        assert not callable(self.run)
        return dict(pickle.loads(self.pickled_settings) if self.pickled_settings else self.run)

    @cached_property
    def key(self) -> str:
        """A digest of all that the results depend on. The number of samples is part of it only where samples depend on it."""
        return digest(self.mechanism, self.design.digest_content, self.run, self.keep, self.chunk_size)

    @property
    def chunk_count(self) -> int:
        return -(-self.design.count // self.chunk_size)

    def chunk_range(self, chunk: int) -> tuple[int, int]:
        """The first sample of a chunk, and the one after its last."""
        return chunk * self.chunk_size, min((chunk + 1) * self.chunk_size, self.design.count)

    def chunk_key(self, chunk: int) -> str:
        """The key under which a chunk is stored."""
        return digest(self.key, self.chunk_range(chunk))

    def values(self, chunk: int) -> np.ndarray:
        """The samples of a chunk."""
        return self.design.values(*self.chunk_range(chunk))

    @property
    def function(self) -> Function | None:
        return self.run if callable(self.run) else None


def chunk_size(requested: Any, job: StudyJob, rows: int = 0) -> int:
    """The number of samples of a chunk: about a second's work, by an estimate that is the same on every machine.

    `rows` is the number of rows of each sample if samples are simulated many at a time, else 0.
    """
    if requested is not None:
        return count(requested, "chunk", "samples", most=10**7)
    model = job.mechanism
    if callable(job.run) or model is None:
        return int(np.clip(job.design.count // _MIN_CHUNKS, 1, 256))
    length = (job.span[1] - job.span[0]) * max(1, model.nv)
    if rows:
        cost = _PER_LANE + _PER_STEP_OF_A_LANE * length + _PER_NUMBER * rows * (model.nq + model.nv)
    else:
        cost = _PER_RUN + _PER_CHANGE * bool(job.names.parameters) + _PER_STEP * length * (1 + model.equation_count)
        cost *= _CALLBACK_FACTOR if has_callbacks(job.run) else 1
    return int(2 ** np.clip(np.floor(np.log2(_CHUNK_SECONDS / cost)), 0, np.log2(_MAX_CHUNK_SIZE)))


def has_callbacks(run: Settings) -> bool:
    """Whether Python functions act in a run."""
    return any(True for _ in _callbacks(run))


def _callbacks(run: Settings) -> Iterator[Any]:
    """The Python functions that act in a run."""
    torque, wrenches = run.get("torque"), run.get("wrenches")
    for argument in (torque, *(wrenches.values() if isinstance(wrenches, Mapping) else ())):
        function = getattr(argument, "function", argument)
        if callable(function):
            yield function


def pickle_settings(run: Settings) -> bytes:
    """Pickle settings that contain objects which may change; b"" if there are none, or if they cannot be copied."""
    if all(inspect.isfunction(x) for x in _callbacks(run)):
        return b""
    with contextlib.suppress(Exception):
        return pickle.dumps(dict(run), protocol=4)
    return b""


def as_run(run: Any) -> Settings | Function:
    """Check the argument `run`: settings of simulate by name, or a function of (mechanism, sample) that other processes find."""
    if run is None:
        return {}
    if isinstance(run, Mapping):
        return _simulate_settings(dict(run))
    if not callable(run):
        needed = "a mapping of arguments of simulate, such as {'t_span': 10}, or a function of (mechanism, sample), is needed"
        raise ArgumentError(f"is {format_value(run)}", argument="run", remedy=needed)
    name = getattr(run, "__qualname__", "")
    if "<lambda>" in name or "<locals>" in name:
        raise ArgumentError(
            f"is {'a lambda' if 'lambda' in name else f'{name}, which is defined inside a function'}",
            argument="run",
            remedy="define it with def at the top level of a module, where other processes find it",
        )
    return run


def _simulate_settings(arguments: dict[str, Any]) -> Settings:
    from lagrangian.errors import unknown_name_message
    from lagrangian.motion.simulate import simulate

    argument_names = [name for name in inspect.signature(simulate).parameters if name not in _STUDY_ARGUMENTS]
    for name in arguments:
        if name not in argument_names:
            raise ArgumentError(
                unknown_name_message("argument of simulate called", name, argument_names), where=ArgumentName("run")
            )
    return arguments
