"""Mechanisms by the text that describes them: read once, prepared for drawing once, and kept while they are used."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from lagrangian.description.load import FORMATS, loads
from lagrangian.errors import ArgumentError, LagrangianError, unknown_name_message
from lagrangian.model.mechanism import Mechanism
from lagrangian.studio.diagnostics import problem_entry
from lagrangian.studio.thread_warnings import collect_warnings
from lagrangian.viewer.scene.scene import Track

MAX_MODELS = 24
MAX_SPEEDS = 150  # of a mechanism that is compiled while somebody types


@dataclass(frozen=True)
class ModelView:
    """The configuration in which a mechanism is drawn, the track that is drawn, and its degrees of freedom in words."""

    q: np.ndarray
    track: Track
    mobility: str = ""


class StudioModel:
    """One text with its mechanism and problems. Its view, which may need a compilation, is computed when it is first needed."""

    def __init__(self, text: str, format: str) -> None:  # noqa: A002
        self.text, self.format = text, format
        self.lock = threading.RLock()
        self.mechanism: Mechanism | None = None
        self.problems: list[dict[str, Any]] = []
        self.error: LagrangianError | None = None
        self._view: ModelView | None = None
        self.posture: Any = None
        self.check_content: bytes | None = None  # the answer to /api/check
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
        """The mechanism; an error if the text describes none."""
        if self.mechanism is None:
            assert self.error is not None
            raise self.error
        return self.mechanism

    @property
    def is_small(self) -> bool:
        return self.valid_mechanism.nv <= MAX_SPEEDS

    def view(self) -> ModelView:
        """The view of the model, with its loops closed as far as they close."""
        with self.lock:
            if self._view is None:
                self._view = self._compute_view()
            return self._view

    def _compute_view(self) -> ModelView:
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
        return ModelView(np.asarray(q, dtype=float), track, mobility_text)

    def preview(self) -> ModelView:
        """The view before anything is compiled: its loops may be open."""
        from lagrangian.viewer.scene.track import still_track

        q = initial_configuration(self.valid_mechanism)
        return ModelView(q, still_track(self.valid_mechanism, q))


def initial_configuration(mechanism: Mechanism) -> np.ndarray:
    """The start of the mechanism as the description has it."""
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
        """The model of a text, which is read if it is new."""
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
