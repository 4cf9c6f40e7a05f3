"""Chunks computed by the workers of a running Dask cluster. They write them into a folder that all of them see."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.studies.folder import StudyFolder
from lagrangian.studies.job import StudyJob
from lagrangian.studies.local import ChunkOutcome
from lagrangian.studies.worker import compute_packed, pack_job

ANSWER_TIMEOUT = "15s"  # until a scheduler answers
CHUNKS_PER_THREAD = 4  # chunks that are handed out for each thread of the cluster: the rest waits here


def compute_on_cluster(job: StudyJob, folder: StudyFolder, chunks: Iterable[int], scheduler: str) -> Iterator[ChunkOutcome]:
    """Compute chunks on a cluster, and yield the outcome of each when it is done.

    A worker that dies has its chunks computed by others, which is the scheduler's work.
    """
    _check_installed()
    with _silence_logs():
        yield from _compute_on_cluster(job, folder, chunks, scheduler)


def _compute_on_cluster(job: StudyJob, folder: StudyFolder, chunks: Iterable[int], scheduler: str) -> Iterator[ChunkOutcome]:
    client = _connect(scheduler)
    from distributed import as_completed

    data, path = pack_job(job, by_value=True), str(folder.path.resolve())
    waiting = iter(chunks)

    def submit(chunk: int) -> Any:
        # a chunk's key is its task's: what another client has handed out is not computed twice
        name = f"lagrangian-{job.chunk_key(chunk)}"
        future = client.submit(compute_packed, data, path, chunk, key=name, pure=True)
        numbers[future.key] = chunk
        return future

    numbers: dict[str, int] = {}
    try:
        queue_length = CHUNKS_PER_THREAD * _threads(client, scheduler)
        completed = as_completed([submit(chunk) for chunk in islice(waiting, queue_length)], loop=client.loop)
        for future in completed:
            if future.cancelled():
                raise _scheduler_lost_error(scheduler)
            chunk, error = numbers.pop(future.key), future.exception()
            if isinstance(error, LagrangianError):
                raise error  # of the study or the folder, and so of every chunk
            future.release()
            for next_chunk in islice(waiting, 1):
                completed.add(submit(next_chunk))
            yield chunk, "" if error is None else f"{type(error).__name__}: {error}"
    finally:
        client.close()


@contextlib.contextmanager
def _silence_logs() -> Iterator[None]:
    """Silence the logs of the library, which report lost connections in its own words; this module reports what matters."""
    import distributed  # which sets the levels of its loggers

    logs = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith(distributed.__name__)]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


def _threads(client: Any, scheduler: str) -> int:
    """The number of threads of the cluster's workers, once there is a worker."""
    try:
        client.wait_for_workers(1, timeout=ANSWER_TIMEOUT)
    except TimeoutError:
        raise ArgumentError(
            f"is {scheduler!r}, which has no workers",
            argument="scheduler",
            remedy=f"start some: dask worker {scheduler}",
        ) from None
    return max(1, sum(client.nthreads().values()))


def _scheduler_lost_error(scheduler: str) -> ArgumentError:
    return ArgumentError(
        f"is {scheduler!r}, which no longer answers",
        argument="scheduler",
        remedy="run the study again, and it continues from there",
    )


def _check_installed() -> None:
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise ArgumentError(
            "a cluster needs dask.distributed, which is not installed", remedy="pip install 'lagrangian[cluster]'"
        )


def _connect(scheduler: str) -> Any:
    from distributed import Client

    try:
        return Client(scheduler, timeout=ANSWER_TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error) or type(error).__name__
        raise ArgumentError(
            f"is {scheduler!r}, where no scheduler answers: {reason}",
            argument="scheduler",
            remedy="start one with `dask scheduler`, and workers with `dask worker tcp://HOST:8786`",
        ) from None
