"""The folder of a study: what it is about, its chunks under their keys, and a log of what each process computed.

study.json         names, distributions, method, seed, what is kept
chunks/KEY.chunk   a chunk's results, written whole by whoever computed it
log/HOST-PID.log   a line when a chunk is begun, another when it is kept
locks/KEY          held by whoever computes a chunk
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lagrangian.errors import ArgumentError, DescriptionError
from lagrangian.files import write
from lagrangian.studies.evaluate import ChunkResults

FORMAT = "lagrangian study 1"
_MAGIC = b"lagrangian chunk 1\n"


@dataclass(frozen=True)
class StudyFolder:
    """The folder of a study, given by its path."""

    path: Path

    @property
    def about_file(self) -> Path:
        return self.path / "study.json"

    def create(self) -> None:
        try:
            for name in ("chunks", "log", "locks"):
                (self.path / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArgumentError(f"{self.path}: the folder cannot be created: {error.strerror}", concerns="folder") from None

    # -- what it is about --------------------------------------------------------------------------------------------

    def write_about(self, content: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, **content}, indent=2, ensure_ascii=False) + "\n"
        if not self.about_file.is_file() or self.about_file.read_text(encoding="utf-8") != text:
            write(self.about_file, text)

    def read_about(self) -> dict[str, Any]:
        try:
            about = json.loads(self.about_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DescriptionError(f"{self.path}: this is not the folder of a study: it has no study.json") from None
        except (OSError, ValueError) as error:
            raise DescriptionError(f"{self.about_file}: it cannot be read: {error}") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            stored_format = about.get("format") if isinstance(about, dict) else None
            raise DescriptionError(f"{self.about_file}: this is not a study of this version: its format is {stored_format!r}")
        return about

    # -- chunks ------------------------------------------------------------------------------------------------------

    def chunk_path(self, key: str) -> Path:
        return self.path / "chunks" / f"{key}.chunk"

    def stored_keys(self) -> set[str]:
        """The keys of all chunks that are there."""
        try:
            with os.scandir(self.path / "chunks") as entries:
                return {entry.name.removesuffix(".chunk") for entry in entries if entry.name.endswith(".chunk")}
        except FileNotFoundError:
            return set()

    def store(self, key: str, first: int, results: ChunkResults) -> None:
        """Store the results of the samples from `first` on."""
        columns = {name: np.ascontiguousarray(x, dtype="<f8") for name, x in results.columns.items()}
        header = {
            "first": first,
            "columns": [[name, list(x.shape)] for name, x in columns.items()],
            "failed": [[first + k, reason] for k, reason in results.failed.items()],
        }
        content = json.dumps(header).encode() + b"\n" + b"".join(x.tobytes() for x in columns.values())
        write(self.chunk_path(key), _MAGIC + _digest(key, content) + content)

    def load(self, key: str) -> tuple[dict[str, np.ndarray], dict[int, str]] | None:
        """Return the columns of a chunk and the samples that failed; None if the chunk is missing or damaged."""
        try:
            data = self.chunk_path(key).read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + 32
        content = data[start:]
        if not data.startswith(_MAGIC) or data[len(_MAGIC) : start] != _digest(key, content):
            with contextlib.suppress(OSError):
                self.chunk_path(key).unlink()  # cut short or altered: it is computed anew
            return None
        line, _, column_bytes = content.partition(b"\n")
        header, columns, offset = json.loads(line), {}, 0
        for name, shape in header["columns"]:
            size = 8 * int(np.prod(shape, dtype=np.int64))
            columns[name] = np.frombuffer(column_bytes[offset : offset + size], dtype="<f8").reshape(shape)
            offset += size
        return columns, {int(k): reason for k, reason in header["failed"]}

    # -- who computes ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def lock_chunk(self, key: str) -> Iterator[bool]:
        """Lock a chunk in a `with` block, which receives whether the chunk is still to be computed.

        A second process waits until the first is done or dead: the system releases the locks of a killed process.
        """
        lock = self.path / "locks" / key
        with lock.open("ab") as file:
            _lock_file(file.fileno())
            try:
                yield not self.chunk_path(key).exists()
            finally:
                if self.chunk_path(key).exists():
                    with contextlib.suppress(OSError):
                        lock.unlink()

    def write_log(self, event: str, chunk: int, key: str, **entries: Any) -> None:
        """Write a line to the log of this process; the event is "begun" or "kept"."""
        line = json.dumps({"what": event, "chunk": chunk, "key": key, "at": round(time.time(), 3), **entries}) + "\n"
        path = self.path / "log" / f"{socket.gethostname()}-{os.getpid()}.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def read_logs(self) -> Iterator[dict[str, Any]]:
        """All lines of all logs, each with the process that wrote it."""
        for path in sorted((self.path / "log").glob("*.log")):
            for line in path.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):  # the last of a full disk
                    yield {"by": path.stem, **json.loads(line)}

    def counts(self, keys: set[str]) -> tuple[Counter[str], Counter[str]]:
        """How often each of these chunks was begun, and how often it was kept."""
        begun_counts: Counter[str] = Counter()
        stored_counts: Counter[str] = Counter()
        for line in self.read_logs():
            if line["key"] in keys:
                (stored_counts if line["what"] == "kept" else begun_counts)[line["key"]] += 1
        return begun_counts, stored_counts


def _digest(key: str, content: bytes) -> bytes:
    """The digest of a chunk and its key, so that a chunk under the key of another is recognised."""
    return hashlib.sha256(f"{key}\n".encode() + content).digest()


def _lock_file(handle: int) -> None:
    """Wait for a lock that the system releases when this process ends; a system without them has none."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):  # a file system without locks
        fcntl.flock(handle, fcntl.LOCK_EX)
