"""Benchmarks of the literature as mechanisms: particles on slides, driven by expressions."""

from __future__ import annotations

import lagrangian as lg

# Test Set for Initial Value Problem Solvers (Mazzia and Magherini 2008), Pleiades: seven stars in a plane, at t = 3
PLEIADES_X = "0.3706139143970502 3.237284092057233 -3.222559032418324 0.6597091455775310 0.3425581707156584 1.562172101400631 \
-0.7003092922212495"
PLEIADES_Y = "-3.943437585517392 -3.271380973972550 5.225081843456543 -2.590612434977470 1.198213693392275 -0.2429682344935824 \
1.091449240428980"
PLEIADES_VX = "3.417003806314313 1.354584501625501 -2.590065597810775 2.025053734714242 -1.155815100160448 -0.8072988170223021 \
0.5952396354208710"
PLEIADES_VY = "-3.741244961234010 0.3773459685750630 0.9386858869551073 0.3667922227200571 -0.3474046353808490 2.344915448180937 \
-1.947020434263292"
STARTS = {
    "x": (3, 3, -1, -3, 2, -2, 2),
    "y": (3, -3, 2, 0, 0, -4, 4),
    "vx": (0, 0, 0, 0, 0, 1.75, -1.5),
    "vy": (0, 0, 0, -1.25, 1, 0, 0),
}


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


def pleiades() -> tuple[lg.Mechanism, dict[str, object], list[str], list[str]]:
    """The mechanism, what `certify` is given, and the published coordinates and speeds at t = 3."""
    n = range(1, 8)
    torque = {}
    for i in n:
        for c in "xy":
            pulls = [
                f"{i * j}*({c}{j} - {c}{i})/(r*sqrt(r))".replace("r", f"((x{j}-x{i})^2 + (y{j}-y{i})^2)", 1).replace(
                    "sqrt(r)", f"sqrt((x{j}-x{i})^2 + (y{j}-y{i})^2)"
                )
                for j in n
                if j != i
            ]
            torque[f"{c}{i}"] = " + ".join(pulls)
    q0 = {f"{c}{k}": STARTS[c][k - 1] for k in n for c in "xy"}
    qd0 = {f"{c}{k}": STARTS[f"v{c}"][k - 1] for k in n for c in "xy"}
    q = [x for pair in zip(PLEIADES_X.split(), PLEIADES_Y.split(), strict=True) for x in pair]
    qd = [x for pair in zip(PLEIADES_VX.split(), PLEIADES_VY.split(), strict=True) for x in pair]
    return particles("pleiades", tuple(n)), {"q0": q0, "qd0": qd0, "torque": torque}, q, qd


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
