"""Many motions of one mechanism: which go side by side in lanes, which are made one at a time, and what is kept of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lagrangian.cached import cached_property
from lagrangian.configuration.start import as_dynamics
from lagrangian.errors import LagrangianError
from lagrangian.motion.batch.chunk import Chunk, Nominal
from lagrangian.motion.batch.extremes_of import extremes_of
from lagrangian.motion.batch.given import Given
from lagrangian.motion.batch.kept import Kept
from lagrangian.motion.batch.starts import Starts
from lagrangian.motion.finish import ending_of, finished
from lagrangian.motion.motion import Motion
from lagrangian.motion.recipe import Made, Recipe
from lagrangian.motion.status import Ending, Status


@dataclass
class Batch:
    """The motions that are asked for, with rows at the times of `grid`."""

    given: Given
    recipe: Recipe
    grid: np.ndarray
    extremes: bool = False  # whether they are kept

    def __post_init__(self) -> None:
        self.recipe = replace(self.recipe, torque=self.given.torque)
        self.starts = Starts(self.given)
        self.found: dict[int, np.ndarray] = {}  # starts that were found one by one

    def __len__(self) -> int:
        return self.given.count

    @cached_property
    def made(self) -> Made:
        """Of the mechanism that stands for all."""
        return self.given.following(self.recipe, self.given.nominal).made(as_dynamics(self.given.mechanism))

    @cached_property
    def conserves(self) -> bool:
        """Whether energy is neither given nor taken, so that the ends of a motion tell of its balance."""
        source, settings = self.made.source, self.made.settings
        drives = source.formulas or source.external or source.traced is not None or source.wrenches
        return self.made.known.conservative and settings.method.adaptive and not drives and not settings.off_constraint

    @cached_property
    def begins(self) -> np.ndarray | None:
        """Where the motion that stands for all begins; nothing if it cannot."""
        i = self.given.nominal
        try:
            return self.made.start(self.starts.q0_of(i), self.starts.qd0_of(i))
        except LagrangianError:
            return None

    # -- one motion --------------------------------------------------------------------------------------------------

    def made_of(self, i: int) -> Made:
        """Of one motion: its own mechanism and torques."""
        if not self.given.varied:
            return self.made
        recipe = replace(self.recipe, torque=self.given.torque_of(i))
        return self.given.following(recipe, i).made(as_dynamics(self.given.mechanism_of(i)))

    def motion(self, i: int, y: np.ndarray, grid: np.ndarray) -> Motion:
        """One motion with all that a single run has, from a state on."""
        made = self.made_of(i)
        run = made.run(y, grid)
        return finished(run, ending_of(run, made.span[1]))

    def alone(self, i: int, y: np.ndarray, kept: Kept) -> list[str]:
        """Make one motion by itself, and keep of it what is kept of all; the warnings it gave."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                made = self.made_of(i)
                start = y if np.isfinite(y).all() else made.start(self.starts.q0_of(i), self.starts.qd0_of(i))
                self.found[i] = start
                run = made.run(start, self.grid if len(self.grid) else np.array(made.span))
                ending = ending_of(run, made.span[1])
                if ending.status.success:
                    ending = finished(run, ending).ending  # which checks its energy, as of every single run
            except LagrangianError as error:
                kept.ended(i, Ending(Status.FAILED, made_time(self.recipe), reason=str(error)))
                return []
        trajectory = run.trajectory
        kept.y[i], kept.t[i], kept.steps[i] = trajectory.y, trajectory.t, (trajectory.accepted, trajectory.rejected)
        kept.alone += 1
        if kept.rows is not None:
            kept.rows[i, : trajectory.filled] = trajectory.rows[: trajectory.filled]
        if kept.extremes is not None:
            kept.extremes[i] = extremes_of(trajectory)
        if kept.events is not None and trajectory.happenings:
            kept.events[i] = list(trajectory.happenings)
        kept.ended(i, ending)
        if ending.status is Status.FINISHED:
            del kept.endings[i]
        return [f"{x.message} (motion {i})" for x in told]

    # -- all of them -------------------------------------------------------------------------------------------------

    @cached_property
    def nominal(self) -> Nominal | None:
        """What lanes are compiled for; nothing where no motion can be made in lanes."""
        return Nominal.of(self)

    def chunk(self, first: int, last: int, kept: Kept, goes_on: Callable[[int], bool]) -> Chunk:
        """Make the motions from `first` to before `last` that can be made in lanes."""
        chunk = Chunk(self, first, last)
        if self.nominal is not None:
            chunk.go(self.nominal, kept, goes_on)
        return chunk


def made_time(recipe: Recipe) -> float:
    """When a run that could not begin ended."""
    span = np.ravel(np.asarray(recipe.t_span if recipe.t_span is not None else 0.0, dtype=float))
    return float(span[0]) if span.size == 2 else 0.0
