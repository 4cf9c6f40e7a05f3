"""Mechanisms by the text that describes them: read once, looked at once, kept while they are used."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from lagrangian.description.load import FORMATS, loads
from lagrangian.errors import ArgumentError, LagrangianError, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.diagnostics import problem_entry
from lagrangian.studio.thread_warnings import collect_warnings

MAX_MODELS = 24  # texts
MAX_SPEEDS = 150  # speeds: of larger mechanisms nothing is compiled while somebody types


class StudioModel:
    """One text, and what is known of it. Its look, for which something may have to be compiled, is worked out when asked for."""

    def __init__(self, text: str, format: str) -> None:  # noqa: A002
        self.text, self.format = text, format
        self.lock = threading.RLock()
        self.mechanism: Mechanism | None = None
        self.problems: list[dict[str, Any]] = []
        self.error: LagrangianError | None = None
        self._view: dict[str, Any] | None = None
        self.posture: Any = None
        self.check_content: bytes | None = None  # to /api/check
        with collect_warnings() as caught_warnings:
            try:
                self.mechanism = loads(text, format)
            except LagrangianError as error:
                self.error = error
                self.problems.append(problem_entry(text, format, error))
            except (RecursionError, MemoryError):
                self.error = LagrangianError("the description is nested too deeply, or too large, to be read")
                self.problems.append(problem_entry(text, format, self.error))
        self.problems += [problem_entry(text, format, x, "warning") for x in caught_warnings]

    @property
    def ready(self) -> bool:
        return self._view is not None or self.mechanism is None

    @property
    def valid_mechanism(self) -> Mechanism:
        """The mechanism, or the error that there is instead."""
        if self.mechanism is None:
            assert self.error is not None
            raise self.error
        return self.mechanism

    @property
    def is_small(self) -> bool:
        return self.valid_mechanism.nv <= MAX_SPEEDS

    def view(self) -> dict[str, Any]:
        """`q`, the track that is drawn, and the degrees of freedom: with the loops closed, as far as they close."""
        with self.lock:
            if self._view is None:
                self._view = self._compute_view()
            return self._view

    def _compute_view(self) -> dict[str, Any]:
        from lagrangian.configuration.mobility import mobility
        from lagrangian.viewer.scene.poses import drawn_configuration
        from lagrangian.viewer.scene.track import still_track

        m = self.valid_mechanism
        mobility_text = ""
        with collect_warnings() as caught_warnings:
            q = drawn_configuration(m) if self.is_small else initial_configuration(m)
            track = still_track(m, q)
            try:
                mobility_text = str(mobility(m)) if m.joints and self.is_small else ""
            except LagrangianError as error:
                self.problems.append(problem_entry(self.text, self.format, error))
        self.problems += [problem_entry(self.text, self.format, x, "warning") for x in caught_warnings]
        return {"q": np.asarray(q, dtype=float), "track": track, "mobility": mobility_text}

    def preview(self) -> dict[str, Any]:
        """What can be drawn before anything is compiled: the loops may be open."""
        from lagrangian.viewer.scene.track import still_track

        q = initial_configuration(self.valid_mechanism)
        return {"q": q, "track": still_track(self.valid_mechanism, q), "mobility": ""}


def initial_configuration(mechanism: Mechanism) -> np.ndarray:
    """The mechanism's own start as it is written."""
    from lagrangian.configuration import state_arguments

    return np.asarray(state_arguments.as_configuration(mechanism, None, "q").q, dtype=float)


class ModelCache:
    """The models that were used last."""

    def __init__(self) -> None:
        self._models: OrderedDict[bytes, StudioModel] = OrderedDict()
        self._lock = threading.Lock()

    def cached_model(self, text: str, format: str) -> StudioModel | None:  # noqa: A002
        key = _key(text, format)
        with self._lock:
            model = self._models.get(key)
            if model is not None:
                self._models.move_to_end(key)
            return model

    def get_or_read(self, text: Any, format: Any) -> StudioModel:  # noqa: A002
        """Of a text, which is read if it is new."""
        if not isinstance(text, str) or not isinstance(format, str):
            raise ArgumentError("a text and its format are needed", remedy='{"text": "...", "format": "toml"}')
        if format not in FORMATS:
            raise ArgumentError(unknown_name_message("format", format, FORMATS))
        model = self.cached_model(text, format)
        if model is None:
            model = StudioModel(text, format)
            with self._lock:
                model = self._models.setdefault(_key(text, format), model)
                while len(self._models) > MAX_MODELS:
                    self._models.popitem(last=False)
        return model


def _key(text: str, format: str) -> bytes:  # noqa: A002
    return hashlib.sha256(f"{format}\0{text}".encode("utf-8", "surrogatepass")).digest()
