"""A chunk is computed and kept by whoever gets to it first, and by nobody after that."""

from __future__ import annotations

import pickle
import time
from functools import lru_cache
from pathlib import Path

from lagrangian.errors import ArgumentError
from lagrangian.studies.canonical import package_digest
from lagrangian.studies.evaluate import evaluate
from lagrangian.studies.folder import Folder
from lagrangian.studies.job import Job


def compute(job: Job, folder: Folder, chunk: int) -> bool:
    """Compute a chunk, unless it is there; whether it was computed."""
    key = job.chunk_key(chunk)
    with folder.claimed(key) as mine:
        if not mine:
            return False
        folder.note("begun", chunk, key)
        began = time.perf_counter()
        first, _ = job.range_of(chunk)
        results = evaluate(job, job.values(chunk), first)
        folder.store(key, first, results)
        folder.note("kept", chunk, key, seconds=round(time.perf_counter() - began, 4), failed=len(results.failed))
    return True


def packed(job: Job, by_value: bool = False) -> bytes:
    """A job as another process can read it, with the functions of the main program `by_value` where that is not there."""
    _ = job.key  # goes with it: a function without its source would be told apart
    try:
        if by_value:
            import cloudpickle  # which dask.distributed brings

            return bytes(cloudpickle.dumps((package_digest(), job), protocol=4))
        return pickle.dumps((package_digest(), job), protocol=4)
    except Exception as error:
        raise ArgumentError(
            f"the study cannot be handed to other processes: {error}",
            remedy="define functions at the top level of a module, not as lambdas or inside functions",
        ) from None


@lru_cache(maxsize=4)
def unpacked(data: bytes) -> Job:
    """The job again; an error if this process has another version of the package, whose results would not fit."""
    version, job = pickle.loads(data)
    if version != package_digest():
        raise ArgumentError("this worker has a different version of lagrangian", remedy="install the same version everywhere")
    assert isinstance(job, Job)
    return job


def compute_packed(data: bytes, path: str, chunk: int) -> bool:
    """Compute a chunk for another process, in a folder that both see."""
    folder = Folder(Path(path))
    if not folder.about.is_file():
        raise ArgumentError(f"{path}: this worker does not see the study's folder", remedy="give a folder that all workers see")
    return compute(unpacked(data), folder, chunk)
