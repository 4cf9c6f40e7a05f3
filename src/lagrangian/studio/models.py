"""Mechanisms by the text that describes them: read once, looked at once, kept while they are used."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from lagrangian.description.load import FORMATS, loads
from lagrangian.errors import ArgumentError, LagrangianError, one_of
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.heard import hearing
from lagrangian.studio.problems import problem

KEPT = 24  # texts
LARGEST = 150  # speeds: of larger mechanisms nothing is compiled while somebody types


class Model:
    """One text, and what is known of it. Its look, for which something may have to be compiled, is worked out when asked for."""

    def __init__(self, text: str, format: str) -> None:  # noqa: A002
        self.text, self.format = text, format
        self.lock = threading.RLock()
        self.mechanism: Mechanism | None = None
        self.problems: list[dict[str, Any]] = []
        self.error: LagrangianError | None = None
        self._look: dict[str, Any] | None = None
        self.posture: Any = None
        self.answer: bytes | None = None  # to /api/check
        with hearing() as heard:
            try:
                self.mechanism = loads(text, format)
            except LagrangianError as error:
                self.error = error
                self.problems.append(problem(text, format, error))
            except (RecursionError, MemoryError):
                self.error = LagrangianError("the description is nested too deeply, or too large, to be read")
                self.problems.append(problem(text, format, self.error))
        self.problems += [problem(text, format, x, "warning") for x in heard]

    @property
    def ready(self) -> bool:
        return self._look is not None or self.mechanism is None

    @property
    def read(self) -> Mechanism:
        """The mechanism, or the error that there is instead."""
        if self.mechanism is None:
            assert self.error is not None
            raise self.error
        return self.mechanism

    @property
    def small(self) -> bool:
        return self.read.nv <= LARGEST

    def look(self) -> dict[str, Any]:
        """`q`, the track that is drawn, and the degrees of freedom: with the loops closed, as far as they close."""
        with self.lock:
            if self._look is None:
                self._look = self._looked_at()
            return self._look

    def _looked_at(self) -> dict[str, Any]:
        from lagrangian.configuration.mobility import mobility
        from lagrangian.viewer.scene.poses import configuration
        from lagrangian.viewer.scene.track import still_track

        m = self.read
        told = ""
        with hearing() as heard:
            q = configuration(m) if self.small else raw(m)
            track = still_track(m, q)
            try:
                told = str(mobility(m)) if m.joints and self.small else ""
            except LagrangianError as error:
                self.problems.append(problem(self.text, self.format, error))
        self.problems += [problem(self.text, self.format, x, "warning") for x in heard]
        return {"q": np.asarray(q, dtype=float), "track": track, "mobility": told}

    def first_look(self) -> dict[str, Any]:
        """What can be drawn before anything is compiled: the loops may be open."""
        from lagrangian.viewer.scene.track import still_track

        q = raw(self.read)
        return {"q": q, "track": still_track(self.read, q), "mobility": ""}


def raw(mechanism: Mechanism) -> np.ndarray:
    """The mechanism's own start as it is written."""
    from lagrangian.configuration import reading

    return np.asarray(reading.configuration(mechanism, None, "q").q, dtype=float)


class Models:
    """The models that were used last."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Model] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, text: str, format: str) -> Model | None:  # noqa: A002
        key = _key(text, format)
        with self._lock:
            found = self._known.get(key)
            if found is not None:
                self._known.move_to_end(key)
            return found

    def model(self, text: Any, format: Any) -> Model:  # noqa: A002
        """Of a text, which is read if it is new."""
        if not isinstance(text, str) or not isinstance(format, str):
            raise ArgumentError("a text and its format are needed", remedy='{"text": "...", "format": "toml"}')
        if format not in FORMATS:
            raise ArgumentError(one_of("format", format, FORMATS))
        found = self.known(text, format)
        if found is None:
            found = Model(text, format)
            with self._lock:
                found = self._known.setdefault(_key(text, format), found)
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
        return found


def _key(text: str, format: str) -> bytes:  # noqa: A002
    return hashlib.sha256(f"{format}\0{text}".encode("utf-8", "surrogatepass")).digest()
