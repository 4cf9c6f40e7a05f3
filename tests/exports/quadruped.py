"""A small quadruped: a free trunk with four legs of three revolute joints, and feet that are frames."""

from __future__ import annotations

import lagrangian as lg

LEGS = {"lf": (0.3, 0.15), "rf": (0.3, -0.15), "lh": (-0.3, 0.15), "rh": (-0.3, -0.15)}


def quadruped_mechanism() -> lg.Mechanism:
    bodies = [lg.Body("trunk", 12.0, (0.01, 0.0, 0.02), (0.15, 0.002, 0.01, 0.42, 0.003, 0.5))]
    joints = [lg.Joint("base", "free", "ground", "trunk", actuated=False)]
    frames = []
    for leg, (x, y) in LEGS.items():
        side = 1.0 if y > 0 else -1.0
        bodies += [
            lg.Body(f"{leg}_hip", 1.4, (0.0, 0.02 * side, 0.0), (0.002, 0.0, 0.0, 0.002, 0.0, 0.003)),
            lg.Body(f"{leg}_thigh", 1.1, (0.01, 0.0, -0.12), (0.011, 0.0, 0.0003, 0.011, 0.0, 0.001)),
            lg.Body(f"{leg}_shank", 0.4, (0.0, 0.0, -0.13), (0.004, 0.0, 0.0, 0.004, 0.0, 0.0001)),
        ]
        joints += [
            lg.Joint(f"{leg}_haa", "revolute", "trunk", f"{leg}_hip", axis="x", placement=(x, y, 0.0)),
            lg.Joint(
                f"{leg}_hfe", "revolute", f"{leg}_hip", f"{leg}_thigh", axis="y", placement=(0.0, 0.08 * side, 0.0),
                friction={"viscous": 0.05}, rotor={"inertia": 1e-4, "ratio": 9.0},
            ),
            lg.Joint(f"{leg}_kfe", "revolute", f"{leg}_thigh", f"{leg}_shank", axis="y", placement=(0.0, 0.0, -0.25)),
        ]  # fmt: skip
        frames.append(lg.Frame(f"{leg}_foot", f"{leg}_shank", (0.0, 0.0, -0.26)))
    return lg.Mechanism("quadruped", bodies, joints, frames=frames)
