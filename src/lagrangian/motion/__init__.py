"""Motions of mechanisms over time. `simulate` makes one; these are the words for its parts, each one idea and one place:

- `Settings`: how a run is made: integrator, tolerances, what keeps its constraints (`settings`).
- `System`: the mechanism as y' = f(t, y, u), traced; `Programs` are its functions for many states at once (`system/`). `u` is
  what Python may change while a run goes, laid out by `Inputs`.
- `EventTable`: all that may happen in a run, each with its number: events of the user, walls, limits, joints that stick and slip.
- `Method`: an integrator (`integrators/`, with its `tableaus/`).
- `Solver`: a system and a method as machine code, shared by all runs like it (`solver/`).
- `Stepper`: a solver at work on one state. It leaves `Segment`s: steps with one solver and one u.
- `Run`: one simulation from its beginning to its `Ending`. It has a `Supply` of torques, `Modes` of joints that can be held,
  a stepper, and a `Trajectory` (`run/`).
- `Trajectory`: what a run has computed, from which states and forces at any time are computed again.
- `Motion`: the result, with a `Status`; its quantities are computed from the trajectory when they are asked for (`result/`).
"""
