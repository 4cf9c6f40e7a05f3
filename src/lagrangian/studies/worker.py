"""A process that computes chunks of a study for the one that started it: `python -m lagrangian.studies.worker`.

It reads what it needs from its standard input: a pickled head, then the number of a chunk on each line. For each it answers one
line of JSON. When its input ends, because the other process is done or dead, it ends.

`compute` computes a chunk and stores it, whichever process calls it: whoever locks the chunk first computes it, and nobody
after that.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
import types
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.studies.digest import package_digest
from lagrangian.studies.evaluate import evaluate_samples
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.job import StudyJob

IN_WORKER = "LAGRANGIAN_STUDY_WORKER"  # in the environment of such a process


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a user's function prints is no answer
    os.environ[IN_WORKER] = "1"
    requests = sys.stdin.buffer
    try:
        data, folder = _prepare_process(pickle.load(requests))
        _write_answer(answers, {"ready": True})
        _serve(requests, answers, data, folder)
    except BrokenPipeError:  # the other process has ended
        os._exit(0)
    except BaseException as error:
        is_user_error = isinstance(error, LagrangianError)  # its message is written for the user
        _write_answer(
            answers,
            {"error": str(error) if is_user_error else f"{type(error).__name__}: {error}", "is_user_error": is_user_error},
        )


def _prepare_process(header: dict[str, Any]) -> tuple[bytes, str]:
    """Find modules where the other process found them, its main program among them."""
    sys.path[:], sys.argv[:] = header["path"], header["argv"]
    if header["main"]:
        import runpy

        module = types.ModuleType("__main__")
        module.__dict__.update(runpy.run_path(header["main"], run_name="__mp_main__"))
        sys.modules["__main__"] = module
    return header["job"], header["folder"]


def _serve(requests: BinaryIO, answers: BinaryIO, data: bytes, folder: str) -> None:
    for line in requests:
        chunk = int(line)
        _write_answer(answers, {"chunk": chunk, "computed": compute_packed(data, folder, chunk)})


def _write_answer(answers: BinaryIO, content: dict[str, Any]) -> None:
    answers.write(json.dumps(content).encode() + b"\n")
    answers.flush()


def compute(job: StudyJob, folder: StudyFolder, chunk: int) -> bool:
    """Compute and store a chunk unless another process has done so; return whether it was computed."""
    key = job.chunk_key(chunk)
    with folder.lock_chunk(key) as unclaimed:
        if not unclaimed:
            return False
        folder.write_log("begun", chunk, key)
        start_time = time.perf_counter()
        first, _ = job.chunk_range(chunk)
        results = evaluate_samples(job, job.values(chunk), first)
        folder.store(key, first, results)
        folder.write_log("kept", chunk, key, seconds=round(time.perf_counter() - start_time, 4), failed=len(results.failed))
    return True


@lru_cache(maxsize=4)
def unpack_job(data: bytes) -> StudyJob:
    """Unpickle a job. It is an error if this process has another version of the package."""
    version, job = pickle.loads(data)
    if version != package_digest():
        raise ArgumentError("this worker has a different version of lagrangian", remedy="install the same version everywhere")
    assert isinstance(job, StudyJob)
    return job


def compute_packed(data: bytes, path: str, chunk: int) -> bool:
    """Compute a chunk for another process, in a folder that both see."""
    folder = StudyFolder(Path(path))
    if not folder.about_file.is_file():
        raise ArgumentError(f"{path}: this worker does not see the study's folder", remedy="give a folder that all workers see")
    return compute(unpack_job(data), folder, chunk)


def pack_job(job: StudyJob, by_value: bool = False) -> bytes:
    """Pickle a job for another process, with the functions of the main program `by_value` if that program is not there."""
    _ = job.key  # computed here and pickled too: where the source of a function is missing, its digest would differ
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


if __name__ == "__main__":
    main()
