"""What every sample of a study would fail with, such as a torque on no joint at all, is found before they are computed."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lagrangian.configuration import reading
from lagrangian.errors import Argument, placed
from lagrangian.kernels.dynamics import compile as compiled
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion import arguments
from lagrangian.motion.arguments import Options
from lagrangian.motion.recipe import Recipe
from lagrangian.motion.simulate import simulate


def check_settings(model: Mechanism, settings: Mapping[str, Any], span: tuple[float, float]) -> None:
    """Read the arguments of a run as `simulate` does, for the mechanism with its own numbers. Nothing is integrated."""
    given = {name: x.default for name, x in inspect.signature(simulate).parameters.items()} | dict(settings)
    options = Options(**{field.name: given[field.name] for field in fields(Options)})
    others = {field.name: given[field.name] for field in fields(Recipe) if field.name not in ("options", "t_span")}
    with placed(Argument("run")):
        Recipe(t_span=span, options=options, **others).made(compiled(model))
        reading.configuration(model, given["q0"])
        reading.speeds(model, given["qd0"])
        arguments.grid(given["t_eval"], *span)
