"""Benchmarks of the literature as mechanisms: particles on slides, driven by expressions."""

from __future__ import annotations

import lagrangian as lg


def particles(name: str, masses: tuple[float, ...]) -> lg.Mechanism:
    """Particles that slide along x, and on that along y: coordinates x1, y1, x2, y2, ..."""
    bodies, joints = [], []
    for k, mass in enumerate(masses, 1):
        bodies += [lg.Body(f"slide{k}", 0), lg.Body(f"star{k}", mass)]
        joints += [
            lg.Joint(f"x{k}", "prismatic", "ground", f"slide{k}", axis="x"),
            lg.Joint(f"y{k}", "prismatic", f"slide{k}", f"star{k}", axis="y"),
        ]
    return lg.Mechanism(name, bodies, joints, gravity=(0, 0, 0))


# Arenstorf's orbit about earth and moon (Hairer, Norsett and Wanner, Solving ODEs I, section II.0): its period
ARENSTORF = "17.0652165601579625588917206249"


def arenstorf() -> tuple[lg.Mechanism, dict[str, object]]:
    """A satellite in the frame that turns with the moon, and what `certify` is given."""
    mu = "0.012277471"
    earth, moon = f"((x1 + {mu})^2 + y1^2)", f"((x1 - (1 - {mu}))^2 + y1^2)"
    torque = {
        "x1": f"x1 + 2*qd_y1 - (1 - {mu})*(x1 + {mu})/({earth}*sqrt({earth})) - {mu}*(x1 - (1 - {mu}))/({moon}*sqrt({moon}))",
        "y1": f"y1 - 2*qd_x1 - (1 - {mu})*y1/({earth}*sqrt({earth})) - {mu}*y1/({moon}*sqrt({moon}))",
    }
    qd0 = {"y1": "-2.00158510637908252240537862224"}
    return particles("arenstorf", (1,)), {"q0": {"x1": "0.994"}, "qd0": qd0, "torque": torque}
