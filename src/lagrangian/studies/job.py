"""Everything that is needed to compute any sample of a study, as it is handed to the processes that do it."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.arguments import count
from lagrangian.cached import cached_property
from lagrangian.errors import ArgumentError, ArgumentName, format_value
from lagrangian.kernels.llvm.object_cache import source_digest
from lagrangian.model.expression import Expression
from lagrangian.model.mechanism import Mechanism
from lagrangian.studies.sampling import SamplingDesign
from lagrangian.studies.varied_names import VariedNames

# MERGED lagrangian.studies.canonical: A digest of what a study is made of: descriptions, settings, expressions, arrays and
# Python functions. The same content gives the same digest in every process, and other content another one.

# what is said of a mechanism, but does not change its motion
_DESCRIPTIVE_FIELDS = ("source", "description", "notes", "file")


@cache
def package_digest() -> bytes:
    """Of the code that computes: chunks of another version are never taken up."""
    from lagrangian import __version__

    hasher = hashlib.sha256(source_digest() + __version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        hasher.update(path.read_bytes())
    return hasher.digest()


def digest(*parts: Any) -> str:
    """Of several things, and of the code of this package."""
    hasher = hashlib.sha256(package_digest())
    for part in parts:
        _feed(hasher.update, part)
    return hasher.hexdigest()


def _feed(update: Callable[[bytes], object], x: Any) -> None:
    """The kind and the content of everything, so that no two things read alike."""
    if isinstance(x, Expression):
        x = ("expression", x.operation, x.name, x.value, x.arguments)
    if isinstance(x, bool) or x is None:
        _update_with_length(update, b"o", repr(x).encode())
    elif isinstance(x, (int, np.integer)):
        _update_with_length(update, b"i", str(int(x)).encode())
    elif isinstance(x, (float, np.floating)):
        _update_with_length(update, b"f", float(x).hex().encode())
        _feed(update, getattr(x, "source", None))  # the expression that a number remembers
    elif isinstance(x, (str, Path)):
        _update_with_length(update, b"s", str(x).encode("utf-8", "surrogatepass"))
    elif isinstance(x, bytes):
        _update_with_length(update, b"b", x)
    elif isinstance(x, Enum):
        _feed(update, ("enum", type(x).__name__, x.name))
    elif isinstance(x, np.ndarray):
        _feed(update, ("array", x.dtype.str, x.shape, np.ascontiguousarray(x).tobytes()))
    elif isinstance(x, Mapping):
        _update_with_length(update, b"m", str(len(x)).encode())
        for key, value in x.items():
            _feed(update, key)
            _feed(update, value)
    elif isinstance(x, (list, tuple)):
        _update_with_length(update, b"t", str(len(x)).encode())
        for item in (
            *x,
            getattr(x, "given_names", None),
            getattr(x, "origin", None),
        ):  # what of a start was said, and whence it is reached
            _feed(update, item)
    elif is_dataclass(x) and not isinstance(x, type):
        skipped = _DESCRIPTIVE_FIELDS if isinstance(x, Mechanism) else ()
        _feed(update, (type(x).__qualname__, {f.name: getattr(x, f.name) for f in fields(x) if f.name not in skipped}))
    elif inspect.isfunction(x) or inspect.isbuiltin(x) or inspect.isclass(x):
        module = "__main__" if x.__module__ == "__mp_main__" else x.__module__  # as a process calls the main program of another
        _feed(update, ("function", module, x.__qualname__, _source(x), _captured_values(x)))
    else:
        _update_with_length(update, b"p", _pickle(x))


def _update_with_length(update: Callable[[bytes], object], kind: bytes, data: bytes) -> None:
    update(kind + len(data).to_bytes(8, "little") + data)


def _captured_values(function: Any) -> Any:
    """What a function takes from outside of its text: defaults, variables that it encloses, and globals that are data."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    cells = [_cell_content(cell) for cell in function.__closure__ or ()]
    namespace = function.__globals__
    data = {name: namespace[name] for name in sorted(_global_names(code)) if name in namespace and _is_data(namespace[name])}
    helpers = {
        name: namespace[name] for name in sorted(_global_names(code)) if name in namespace and inspect.isfunction(namespace[name])
    }
    texts = {name: _source(x) for name, x in helpers.items() if x.__module__ == function.__module__}
    return (function.__defaults__, function.__kwdefaults__, dict(zip(code.co_freevars, cells, strict=True)), data, texts)


def _cell_content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has none yet
        return None


def _global_names(code: Any) -> set[str]:
    """The globals that a function, and those inside of it, name."""
    inner = [_global_names(x) for x in code.co_consts if inspect.iscode(x)]
    return set(code.co_names).union(*inner)


def _is_data(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic))


def _source(function: Any) -> Any:
    """The text of a function; where there is none, what it was compiled to."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return None if code is None else (code.co_code, repr(code.co_consts), code.co_names)


def _pickle(x: Any) -> bytes:
    try:
        return pickle.dumps(x, protocol=4)
    except Exception as error:
        raise ArgumentError(
            f"a {type(x).__name__} cannot be handed to other processes: {error}",
            remedy="define functions and classes at the top level of a module, not as lambdas or inside functions",
        ) from None


Settings = Mapping[str, Any]
Function = Callable[[Any, dict[str, float]], Any]  # of a mechanism and a sample

_CHUNK_SECONDS = 1.0  # what a chunk should take
# s of a run, of other parameters, and of each of its seconds and speeds: a rough guess, which is never measured
_PER_RUN, _PER_CHANGE, _PER_STEP = 5e-4, 2e-3, 1.5e-5
_PER_LANE, _PER_STEP_OF_A_LANE, _PER_NUMBER = 1e-5, 3e-6, 1e-7  # and where many are simulated at a time, of each number kept
_STUDY_ARGUMENTS = ("mechanism", "parameters", "keep", "threads", "progress")  # arguments of simulate that a study gives itself
_CALLBACK_FACTOR = 50  # how much longer a run takes that asks Python functions
_LARGEST = 8192  # samples of a chunk
_MIN_CHUNKS = 64  # chunks that a study with a Python function has at least, if it has so many samples


@dataclass(frozen=True)
class StudyJob:
    """A study's mechanism, samples, settings, and what is kept, cut into chunks of `size` samples."""

    mechanism: Mechanism | None
    design: SamplingDesign
    names: VariedNames
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
        return digest(self.mechanism, self.design.digest_content, self.run, self.keep, self.size)

    @property
    def chunks(self) -> int:
        return -(-self.design.count // self.size)

    def chunk_range(self, chunk: int) -> tuple[int, int]:
        """The first sample of a chunk, and the one after its last."""
        return chunk * self.size, min((chunk + 1) * self.size, self.design.count)

    def chunk_key(self, chunk: int) -> str:
        """The name under which a chunk is kept."""
        return digest(self.key, self.chunk_range(chunk))

    def values(self, chunk: int) -> np.ndarray:
        """The samples of a chunk."""
        return self.design.values(*self.chunk_range(chunk))

    @property
    def function(self) -> Function | None:
        return self.run if callable(self.run) else None


def chunk_size(requested: Any, job: StudyJob, rows: int = 0) -> int:
    """How many samples a chunk has: about a second's work, by a guess that is the same wherever the study is computed.

    Of samples that are simulated many at a time, `rows` are kept.
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
    return int(2 ** np.clip(np.floor(np.log2(_CHUNK_SECONDS / cost)), 0, np.log2(_LARGEST)))


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
    """Settings as they are now, if there are objects among them that may change; what cannot be copied stays as it is."""
    if all(inspect.isfunction(x) for x in _callbacks(run)):
        return b""
    with contextlib.suppress(Exception):
        return pickle.dumps(dict(run), protocol=4)
    return b""


def as_run(run: Any) -> Settings | Function:
    """`run=`: settings of simulate by their names, or a function of (mechanism, sample) that other processes can find."""
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
