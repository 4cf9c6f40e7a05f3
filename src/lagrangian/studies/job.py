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
from lagrangian.errors import Argument, ArgumentError, shown
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.canonical import digest
from lagrangian.studies.design import Design
from lagrangian.studies.names import Names

Settings = Mapping[str, Any]
Function = Callable[[Any, dict[str, float]], Any]  # of a mechanism and a sample

_SECOND = 1.0  # what a chunk should take
# s of a run, of other parameters, and of each of its seconds and speeds: a rough guess, which is never measured
_PER_RUN, _PER_CHANGE, _PER_STEP = 5e-4, 2e-3, 1.5e-5
_PER_LANE, _PER_STEP_OF_A_LANE, _PER_NUMBER = 1e-5, 3e-6, 1e-7  # and where many are simulated at a time, of each number kept
_OWN = ("mechanism", "parameters", "keep", "threads", "progress")  # arguments of simulate that a study gives itself
_SLOW = 50  # how much longer a run takes that asks Python functions
_LARGEST = 8192  # samples of a chunk
_PIECES = 64  # chunks that a study with a Python function has at least, if it has so many samples


@dataclass(frozen=True)
class Job:
    """A study's mechanism, samples, settings, and what is kept, cut into chunks of `size` samples."""

    mechanism: Mechanism | None
    design: Design
    names: Names
    run: Settings | Function
    keep: Mapping[str, str] | None  # texts by the names of columns; of a function, None for all that it gives
    size: int
    span: tuple[float, float] = (0.0, 0.0)
    state: bytes = b""  # of settings with objects that may remember what they were asked, such as controllers: as they were given

    def settings(self) -> dict[str, Any]:
        """Those of a run, with objects of their own: no sample depends on which were computed before it."""
        assert not callable(self.run)
        return dict(pickle.loads(self.state) if self.state else self.run)

    @cached_property
    def key(self) -> str:
        """A name for what the results depend on. How many samples there are is no part of it, where no sample depends on it."""
        return digest(self.mechanism, self.design.what_counts, self.run, self.keep, self.size)

    @property
    def chunks(self) -> int:
        return -(-self.design.count // self.size)

    def range_of(self, chunk: int) -> tuple[int, int]:
        """The first sample of a chunk, and the one after its last."""
        return chunk * self.size, min((chunk + 1) * self.size, self.design.count)

    def chunk_key(self, chunk: int) -> str:
        """The name under which a chunk is kept."""
        return digest(self.key, self.range_of(chunk))

    def values(self, chunk: int) -> np.ndarray:
        """The samples of a chunk."""
        return self.design.values(*self.range_of(chunk))

    @property
    def function(self) -> Function | None:
        return self.run if callable(self.run) else None


def chunk_size(given: Any, job: Job, rows: int = 0) -> int:
    """How many samples a chunk has: about a second's work, by a guess that is the same wherever the study is computed.

    Of samples that are simulated many at a time, `rows` are kept.
    """
    if given is not None:
        return count(given, "chunk", "samples", most=10**7)
    model = job.mechanism
    if callable(job.run) or model is None:
        return int(np.clip(job.design.count // _PIECES, 1, 256))
    length = (job.span[1] - job.span[0]) * max(1, model.nv)
    if rows:
        cost = _PER_LANE + _PER_STEP_OF_A_LANE * length + _PER_NUMBER * rows * (model.nq + model.nv)
    else:
        cost = _PER_RUN + _PER_CHANGE * bool(job.names.parameters) + _PER_STEP * length * (1 + model.equations)
        cost *= _SLOW if asks(job.run) else 1
    return int(2 ** np.clip(np.floor(np.log2(_SECOND / cost)), 0, np.log2(_LARGEST)))


def asks(run: Settings) -> bool:
    """Whether Python functions act in a run."""
    return any(True for _ in _asked(run))


def _asked(run: Settings) -> Iterator[Any]:
    """The Python functions that act in a run."""
    torque, wrenches = run.get("torque"), run.get("wrenches")
    for given in (torque, *(wrenches.values() if isinstance(wrenches, Mapping) else ())):
        function = getattr(given, "function", given)
        if callable(function):
            yield function


def state_of(run: Settings) -> bytes:
    """Settings as they are now, if there are objects among them that may change; what cannot be copied stays as it is."""
    if all(inspect.isfunction(x) for x in _asked(run)):
        return b""
    with contextlib.suppress(Exception):
        return pickle.dumps(dict(run), protocol=4)
    return b""


def checked_run(given: Any) -> Settings | Function:
    """`run=`: settings of simulate by their names, or a function of (mechanism, sample) that other processes can find."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return _settings(dict(given))
    if not callable(given):
        needed = "a mapping of arguments of simulate, such as {'t_span': 10}, or a function of (mechanism, sample), is needed"
        raise ArgumentError(f"is {shown(given)}", argument="run", remedy=needed)
    name = getattr(given, "__qualname__", "")
    if "<lambda>" in name or "<locals>" in name:
        raise ArgumentError(
            f"is {'a lambda' if 'lambda' in name else f'{name}, which is defined inside a function'}",
            argument="run",
            remedy="define it with def at the top level of a module, where other processes find it",
        )
    return given


def _settings(given: dict[str, Any]) -> Settings:
    from lagrangian.errors import one_of
    from lagrangian.motion.simulate import simulate
    from lagrangian.public import other_spelling

    known = [name for name in inspect.signature(simulate).parameters if name not in _OWN]
    found = {}
    for name, value in given.items():
        spelled = name if name in known else other_spelling(name) if isinstance(name, str) else name
        if spelled not in known:
            raise ArgumentError(one_of("argument of simulate called", name, known), where=Argument("run"))
        found[spelled] = value
    return found
