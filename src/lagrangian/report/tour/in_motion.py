"""Chapters of mechanisms in motion."""

from __future__ import annotations

from math import degrees, pi

import numpy as np

from lagrangian import paths
from lagrangian.inverse_dynamics.inverse import inverse
from lagrangian.library import library
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import simulate
from lagrangian.report.html import Html, joined, number, paragraph, rough
from lagrangian.report.tour.chapter import Chapter, Check, Place, kept, plotted, stage, still
from lagrangian.sizing.actuators import size_actuators

CIRCLE = """
arm = lg.library("two_r")
circle = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
motion = lg.inverse(arm, circle, frame="tip", q0={"theta2": -0.8})
motion.plot("torques")
print(lg.size_actuators(arm, motion))
"""

PENDULUM = """
from math import pi

motion = lg.simulate(lg.library("two_r"), 10, q0=[-pi / 2, pi / 4], qd0=[0, 0], torque=None)
motion.phase_portrait()
motion.animate("double_pendulum.html")
"""

FOUR_BAR = """
linkage = lg.library("deployable_four_bar")
motion = lg.simulate(linkage)
print(motion.message, motion.q[-1, 0])
"""

STEWART = """
platform = lg.library("stewart")
circle = lg.paths.circle((0, 0, 2), 0.5, duration=4, orientation=(1, 0, 0, 0), timing="uniform")
motion = lg.inverse(platform, circle, frame="platform", t_eval=401)
again = lg.simulate(platform, torque=motion.torque, **motion.start)
"""


def circle(place: Place) -> Chapter:
    model = library("two_r")
    path = paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
    motion = inverse(model, path, frame="tip", q0={"theta2": -0.8})
    torque = motion.tau[:, 0]
    least, most = float(torque.min()), float(torque.max())
    plot = motion.plot("torques")
    picture = still(model, motion.q[0])
    motors = [
        f"{name}: {a.chosen.motor.name}, {a.chosen.gear}"
        for name, a in size_actuators(model, motion).actuators.items()
        if a.chosen
    ]
    return Chapter(
        "circle",
        "Torques for a circle",
        "The tip of the arm follows the circle x = 1.2 + 0.2 cos φ, y = 1.2 + 0.2 sin φ m in 10 s, elbow up. One call solves "
        "the inverse kinematics and dynamics; another chooses motors and gears.",
        CIRCLE,
        f"θ₁ needs {least:.1f} to {most:.1f} N m",
        [
            Check(
                "torque at θ₁ [N m]",
                f"{least:.1f} to {most:.1f}",
                "71.9 to 168.3 (lectures)",
                _near((least, most), (71.9, 168.3), 0.05),
            ),
            _energy(motion),
        ],
        joined(
            [
                stage(motion, picture),
                plotted(plot, "torques over time"),
                paragraph(f"Motors that fit: {'; '.join(motors)}."),
            ]
        ),
        picture,
        kept(motion, place, "circle", plot),
    )


def pendulum(place: Place) -> Chapter:
    model = library("two_r")
    motion = simulate(model, 10, q0=[-pi / 2, pi / 4], qd0=[0, 0], torque=None)
    plot = motion.phase_portrait()
    steps = motion.statistics["accepted"]
    picture = still(model, motion.q[0])
    return Chapter(
        "double_pendulum",
        "Double pendulum",
        "The same arm is released with its elbow bent by 45 degrees. No torques act, so the energy must stay constant.",
        PENDULUM,
        Html(f"energy kept to {rough(float(np.abs(motion.balance).max()) / motion.energy_scale)} in {steps} steps"),
        [_energy(motion), _released(motion)],
        joined([stage(motion, picture), plotted(plot, "phase portrait")]),
        picture,
        kept(motion, place, "double_pendulum", plot),
    )


def _released(motion: Motion) -> Check:
    """At the start nothing moves, and M(q) qdd + G(q) = 0: two equations in two unknowns, solved by hand."""
    assert motion.mechanism is not None
    p = {name: float(x) for name, x in motion.mechanism.parameters.items()}
    c2 = np.cos(motion.q[0, 1])
    a, b, d = p["I1"] + p["m1"] * p["r1"] ** 2, p["I2"] + p["m2"] * p["r2"] ** 2, p["m2"] * p["l1"] * p["r2"]
    mass = np.array([[a + b + p["m2"] * p["l1"] ** 2 + 2 * d * c2, b + d * c2], [b + d * c2, b]])
    lower = p["m2"] * p["r2"] * p["g"] * np.cos(motion.q[0].sum())
    gravity = np.array([(p["m1"] * p["r1"] + p["m2"] * p["l1"]) * p["g"] * np.cos(motion.q[0, 0]) + lower, lower])
    by_hand = np.linalg.solve(mass, -gravity)
    good = bool(np.allclose(motion.qdd[0], by_hand, rtol=1e-9, atol=1e-12))
    found, expected = (", ".join(f"{x:.6f}" for x in qdd) for qdd in (motion.qdd[0], by_hand))
    return Check("accelerations at the start [rad/s²]", found, f"{expected} (solved by hand)", good)


def four_bar(place: Place) -> Chapter:
    model = library("deployable_four_bar")
    motion = simulate(model, rtol=1e-10)
    locked, angle = motion.last, degrees(motion.q[-1, 0])
    plot = motion.plot("coordinates", "multipliers")
    early = abs(degrees(motion(12.25)[0][0]) - 150)
    drift = motion.statistics["drift_at_steps"]
    picture = still(model, motion(0.7 * locked)[0])
    return Chapter(
        "four_bar",
        "A linkage that locks",
        "A deployable four-bar linkage opens under the torque of a spring until its links align. The loop stays closed within "
        "rounding errors. The multipliers grow from 0.1 N half way to 1505 N, and the run stops when the linkage locks.",
        FOUR_BAR,
        f"locks at t = {locked:.2f} s, θ₁ = {angle:.2f}°",
        [
            Check("time of the lock [s]", f"{locked:.4f}", "12.2830 (quadrature in 30 digits)", abs(locked - 12.2829956) < 1e-6),
            Check("θ₁ at 12.25 s [deg]", f"{degrees(motion(12.25)[0][0]):.1f}", "150 (lectures)", early < 0.5),
            Check("θ₁ at the lock [deg]", f"{angle:.2f}", "150.46 (lectures)", abs(angle - 150.46) < 0.005),
            Check("loop closure error [m]", rough(drift), "0", drift < 1e-12),
            _energy(motion),
        ],
        joined([stage(motion, picture, speed=2), plotted(plot, "coordinates and constraint forces over time")]),
        picture,
        kept(motion, place, "four_bar", plot),
    )


def stewart(place: Place) -> Chapter:
    model = library("stewart")
    path = paths.circle((0, 0, 2), 0.5, duration=4, orientation=(1, 0, 0, 0), timing="uniform")
    motion = inverse(model, path, frame="platform", t_eval=401)
    again = simulate(model, torque=motion.torque, **motion.start)
    off = float(np.abs(again(motion.last)[0] - motion.q[-1]).max())
    legs = [name for joint in model.joints if joint.actuated for name in joint.speed_names]
    forces = motion.tau[:, [motion.speed_names.index(name) for name in legs]]
    plot = motion.plot("torques", joints=legs)
    picture = still(model, motion.q[0])
    return Chapter(
        "stewart",
        "Stewart platform",
        "Six legs carry 1.2 tonnes along a circle without tilting the platform: 24 speeds, 18 constraint equations. Inverse "
        "dynamics gives the forces of the legs. A simulation with these forces alone brings the platform back to its start.",
        STEWART,
        f"legs push {forces.min():.0f} to {forces.max():.0f} N",
        [
            Check("distance from the path at the end of the simulation [m, rad]", rough(off), "0", off < 1e-8),
            Check(
                "loop closure error [m]",
                rough(again.statistics["drift_at_steps"]),
                "0",
                again.statistics["drift_at_steps"] < 1e-12,
            ),
            Check("work minus change of energy [J]", *_balanced(motion)),
        ],
        joined([stage(motion, picture), plotted(plot, "forces of the legs over time")]),
        picture,
        kept(motion, place, "stewart", plot),
    )


def _energy(motion: Motion) -> Check:
    return Check("change of energy minus work [J]", *_balanced(motion))


def _balanced(motion: Motion) -> tuple[str, str, bool]:
    off, scale = float(np.abs(motion.balance).max()), motion.energy_scale
    return rough(off), Html(f"0, of {number(scale, 3)} moved"), off < 1e-6 * scale


def _near(found: tuple[float, float], expected: tuple[float, float], within: float) -> bool:
    return all(abs(a - b) < within for a, b in zip(found, expected, strict=True))
