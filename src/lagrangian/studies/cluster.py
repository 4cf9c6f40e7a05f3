"""Chunks computed by the workers of a running Dask cluster. They write them into a folder that all of them see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lagrangian.errors import ArgumentError, LagrangianError
from lagrangian.studies.compute import compute_packed, packed
from lagrangian.studies.folder import Folder
from lagrangian.studies.job import Job
from lagrangian.studies.local import Done

PATIENCE = "15s"  # until a scheduler answers
AHEAD = 4  # chunks that are handed out for each thread of the cluster: the rest waits here


def computed(job: Job, folder: Folder, chunks: Iterable[int], scheduler: str) -> Iterator[Done]:
    """Compute chunks on a cluster, each of which is told when it is done.

    A worker that dies has its chunks computed by others, which is the scheduler's work.
    """
    client = _connected(scheduler)
    from distributed import as_completed

    data, path = packed(job, by_value=True), str(folder.path.resolve())
    waiting = iter(chunks)

    def submitted(chunk: int) -> Any:
        # a chunk's key is its task's: what another client has handed out is not computed twice
        name = f"lagrangian-{job.chunk_key(chunk)}"
        future = client.submit(compute_packed, data, path, chunk, key=name, pure=True)
        numbers[future.key] = chunk
        return future

    numbers: dict[str, int] = {}
    try:
        many = AHEAD * max(1, sum(client.nthreads().values()))
        found = as_completed([submitted(chunk) for chunk in islice(waiting, many)], loop=client.loop)
        for future in found:
            chunk, error = numbers.pop(future.key), future.exception()
            if isinstance(error, LagrangianError):
                raise error  # of the study or the folder, and so of every chunk
            future.release()
            for following in islice(waiting, 1):
                found.add(submitted(following))
            yield chunk, "" if error is None else f"{type(error).__name__}: {error}"
    finally:
        client.close()


def _connected(scheduler: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ArgumentError(
            "a cluster needs dask.distributed, which is not installed", remedy="pip install 'lagrangian[cluster]'"
        ) from None
    try:
        return Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        why = str(error) or type(error).__name__
        raise ArgumentError(
            f"is {scheduler!r}, where no scheduler answers: {why}",
            argument="scheduler",
            remedy="start one with `dask scheduler`, and workers with `dask worker tcp://HOST:8786`",
        ) from None
