"""The chapters of the tour: mechanisms in motion, and equations that are derived, typeset and proved."""

from __future__ import annotations

from math import degrees, pi
from time import perf_counter

import numpy as np

from lagrangian import paths
from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import EquationsOfMotion
from lagrangian.closed_form.sections import definitions, matrix_entries
from lagrangian.equations.writing.printers import MathML, NumberFormat
from lagrangian.inverse_dynamics.inverse import inverse
from lagrangian.mechanism_library.catalogue import library
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.motion.simulate import simulate
from lagrangian.report import typeset
from lagrangian.report.equations_section import DIGITS, proof_html
from lagrangian.report.html import Html, collapsible, element, figure, image, join_html, number, paragraph, short_number
from lagrangian.report.tour.tour import Chapter, Check, TourOutput, animation_stage, mechanism_picture, save_run
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
TWO_R = """
import lagrangian as lg

eom = lg.derive(lg.library("two_r"))
eom.show()
print(eom.prove())
eom.save("two_r.tex")
"""
PUMA = """
puma = lg.library("puma560")
eom = lg.derive(puma)
print(eom.M[0, 0], eom.G, eom.prove())
gravity = lg.compile(puma).gravity(puma.poses["qn"])
"""

# p560.gravload(qn) of Corke's Robotics Toolbox, to the digits it prints
GRAVITY_QN = (0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0)


def circle(output: TourOutput) -> Chapter:
    model = library("two_r")
    path = paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
    motion = inverse(model, path, frame="tip", q0={"theta2": -0.8})
    torque = motion.tau[:, 0]
    lowest, highest = float(torque.min()), float(torque.max())
    plot = motion.plot("torques")
    picture = mechanism_picture(model, motion.q[0])
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
        f"θ₁ needs {lowest:.1f} to {highest:.1f} N m",
        [
            Check(
                "torque at θ₁ [N m]",
                f"{lowest:.1f} to {highest:.1f}",
                "71.9 to 168.3 (lectures)",
                _is_near((lowest, highest), (71.9, 168.3), 0.05),
            ),
            _energy_check(motion),
        ],
        join_html(
            [
                animation_stage(motion, picture),
                figure(plot, "torques over time"),
                paragraph(f"Motors that fit: {'; '.join(motors)}."),
            ]
        ),
        picture,
        save_run(motion, output, "circle", plot),
    )


def pendulum(output: TourOutput) -> Chapter:
    model = library("two_r")
    motion = simulate(model, 10, q0=[-pi / 2, pi / 4], qd0=[0, 0], torque=None)
    plot = motion.phase_portrait()
    steps = motion.statistics["accepted"]
    picture = mechanism_picture(model, motion.q[0])
    return Chapter(
        "double_pendulum",
        "Double pendulum",
        "The same arm is released with its elbow bent by 45 degrees. No torques act, so the energy must stay constant.",
        PENDULUM,
        Html(f"energy kept to {short_number(float(np.abs(motion.energy_balance).max()) / motion.energy_scale)} in {steps} steps"),
        [_energy_check(motion), _initial_acceleration_check(motion)],
        join_html([animation_stage(motion, picture), figure(plot, "phase portrait")]),
        picture,
        save_run(motion, output, "double_pendulum", plot),
    )


def _initial_acceleration_check(motion: Motion) -> Check:
    """Compare the initial accelerations with M(q) qdd + G(q) = 0, two equations in two unknowns that are solved by hand."""
    assert motion.mechanism is not None
    p = {name: float(x) for name, x in motion.mechanism.parameters.items()}
    c2 = np.cos(motion.q[0, 1])
    a, b, d = p["I1"] + p["m1"] * p["r1"] ** 2, p["I2"] + p["m2"] * p["r2"] ** 2, p["m2"] * p["l1"] * p["r2"]
    mass = np.array([[a + b + p["m2"] * p["l1"] ** 2 + 2 * d * c2, b + d * c2], [b + d * c2, b]])
    lower = p["m2"] * p["r2"] * p["g"] * np.cos(motion.q[0].sum())
    gravity = np.array([(p["m1"] * p["r1"] + p["m2"] * p["l1"]) * p["g"] * np.cos(motion.q[0, 0]) + lower, lower])
    by_hand = np.linalg.solve(mass, -gravity)
    good = bool(np.allclose(motion.qdd[0], by_hand, rtol=1e-9, atol=1e-12))
    computed, expected = (", ".join(f"{x:.6f}" for x in qdd) for qdd in (motion.qdd[0], by_hand))
    return Check("accelerations at the start [rad/s²]", computed, f"{expected} (solved by hand)", good)


def four_bar(output: TourOutput) -> Chapter:
    model = library("deployable_four_bar")
    motion = simulate(model, rtol=1e-10)
    locked, angle = motion.last, degrees(motion.q[-1, 0])
    plot = motion.plot("coordinates", "multipliers")
    angle_error = abs(degrees(motion(12.25)[0][0]) - 150)
    drift = motion.statistics["drift_at_steps"]
    picture = mechanism_picture(model, motion(0.7 * locked)[0])
    return Chapter(
        "four_bar",
        "A linkage that locks",
        "A deployable four-bar linkage opens under the torque of a spring until its links align. The loop stays closed within "
        "rounding errors. The multipliers grow from 0.1 N half way to 1505 N, and the run stops when the linkage locks.",
        FOUR_BAR,
        f"locks at t = {locked:.2f} s, θ₁ = {angle:.2f}°",
        [
            Check("time of the lock [s]", f"{locked:.4f}", "12.2830 (quadrature in 30 digits)", abs(locked - 12.2829956) < 1e-6),
            Check("θ₁ at 12.25 s [deg]", f"{degrees(motion(12.25)[0][0]):.1f}", "150 (lectures)", angle_error < 0.5),
            Check("θ₁ at the lock [deg]", f"{angle:.2f}", "150.46 (lectures)", abs(angle - 150.46) < 0.005),
            Check("loop closure error [m]", short_number(drift), "0", drift < 1e-12),
            _energy_check(motion),
        ],
        join_html([animation_stage(motion, picture, speed=2), figure(plot, "coordinates and constraint forces over time")]),
        picture,
        save_run(motion, output, "four_bar", plot),
    )


def stewart(output: TourOutput) -> Chapter:
    model = library("stewart")
    path = paths.circle((0, 0, 2), 0.5, duration=4, orientation=(1, 0, 0, 0), timing="uniform")
    motion = inverse(model, path, frame="platform", t_eval=401)
    simulated_motion = simulate(model, torque=motion.torque, **motion.start)
    error = float(np.abs(simulated_motion(motion.last)[0] - motion.q[-1]).max())
    legs = [name for joint in model.joints if joint.actuated for name in joint.speed_names]
    forces = motion.tau[:, [motion.speed_names.index(name) for name in legs]]
    plot = motion.plot("torques", joints=legs)
    picture = mechanism_picture(model, motion.q[0])
    return Chapter(
        "stewart",
        "Stewart platform",
        "Six legs carry 1.2 tonnes along a circle without tilting the platform: 24 speeds, 18 constraint equations. Inverse "
        "dynamics gives the forces of the legs. A simulation with these forces alone brings the platform back to its start.",
        STEWART,
        f"legs push {forces.min():.0f} to {forces.max():.0f} N",
        [
            Check("distance from the path at the end of the simulation [m, rad]", short_number(error), "0", error < 1e-8),
            Check(
                "loop closure error [m]",
                short_number(simulated_motion.statistics["drift_at_steps"]),
                "0",
                simulated_motion.statistics["drift_at_steps"] < 1e-12,
            ),
            Check("work minus change of energy [J]", *_energy_balance(motion)),
        ],
        join_html([animation_stage(motion, picture), figure(plot, "forces of the legs over time")]),
        picture,
        save_run(motion, output, "stewart", plot),
    )


def _energy_check(motion: Motion) -> Check:
    return Check("change of energy minus work [J]", *_energy_balance(motion))


def _energy_balance(motion: Motion) -> tuple[str, str, bool]:
    largest_error, scale = float(np.abs(motion.energy_balance).max()), motion.energy_scale
    return short_number(largest_error), Html(f"0, of {number(scale, 3)} moved"), largest_error < 1e-6 * scale


def _is_near(result: tuple[float, float], expected: tuple[float, float], tolerance: float) -> bool:
    return all(abs(a - b) < tolerance for a, b in zip(result, expected, strict=True))


def two_r(output: TourOutput) -> Chapter:
    model = library("two_r")
    began = perf_counter()
    eom = derive(model)
    seconds = perf_counter() - began
    proof = eom.prove()
    eom.save(output.folder / "two_r.tex")
    parts = [
        typeset.display_equations(typeset.equation_of_motion(False, False)),
        _entries(eom, ("M", "Mass matrix"), ("C", "Coriolis matrix"), ("G", "Gravity")),
        _definitions(eom, "M", "C", "G"),
        proof_html(proof),
    ]
    by_hand = _difference_from_textbook(eom)
    return Chapter(
        "two_r",
        "Two links: equations",
        "This is the planar arm of every textbook. Its Lagrange equations in closed form are as short as those written by "
        "hand. They are proved: four derivations and the compiled algorithms agree as polynomials, not only at some points.",
        TWO_R,
        f"derived in {1e3 * seconds:.0f} ms, proved in {proof.seconds:.2f} s",
        [
            Check("statements proved", f"{sum(s.proved for s in proof.statements)}", f"{len(proof.statements)}", proof.proved),
            Check("M₁₁ minus m₁r₁² + m₂(l₁² + r₂² + 2l₁r₂c₂) + I₁ + I₂", short_number(by_hand), "0", abs(by_hand) < 1e-13),
        ],
        join_html(parts),
        mechanism_picture(model, [0.9, 0.7]),
        [(output.folder / "two_r.tex", "the equations as LaTeX")],
    )


def _difference_from_textbook(eom: EquationsOfMotion) -> float:
    """The derived M11 less the textbook's, at arbitrary numbers; only rounding remains."""
    l1, r1, r2, m1, m2, i1, i2 = 0.91, 0.43, 0.37, 3.1, 2.3, 0.21, 0.17
    theta2 = 0.7321
    derived = eom.M[0, 0].evaluate(q=[0.3, theta2], l1=l1, r1=r1, r2=r2, m1=m1, m2=m2, I1=i1, I2=i2)
    expected = m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * l1 * r2 * np.cos(theta2)) + i1 + i2
    return float(derived - expected)


def puma(output: TourOutput) -> Chapter:
    from lagrangian.kernels.dynamics import compile as compile_mechanism

    model = library("puma560")
    began = perf_counter()
    eom = derive(model)
    seconds = perf_counter() - began
    proof = eom.prove()
    eom.save(output.folder / "puma560.tex")
    q = model.poses["qn"]
    gravity = np.asarray(compile_mechanism(model).gravity(np.array(q, dtype=float)))
    error = float(np.abs(gravity - GRAVITY_QN).max())
    picture = mechanism_picture(model, "qn", (960, 600))
    parts = [
        _turntable(model, "qn", picture),
        _entries(eom, ("G", "Gravity")),
        _definitions(eom, "G"),
        collapsible(f"Mass matrix: {eom.M.operator_count} operators", _entries(eom, ("M", ""))),
        proof_html(proof),
    ]
    statements = len(proof.statements)
    return Chapter(
        "puma560",
        "PUMA 560: equations",
        "Six joints with the parameters of Armstrong, Khatib and Burdick. The equations, which have thousands of terms when "
        "expanded, fit on a page and are proved, too.",
        PUMA,
        f"derived in {1e3 * seconds:.0f} ms, proved in {proof.seconds:.2f} s",
        [
            Check("statements proved", f"{sum(s.proved for s in proof.statements)}", f"{statements}", proof.proved),
            Check(
                "gravity torques in the pose qn [N m]",
                ", ".join(f"{x:.4f}" for x in gravity[1:5] + 0.0),
                "31.6399, 6.0351, 0.0000, 0.0283 (Corke, Robotics Toolbox)",
                error < 5e-5,
            ),
        ],
        join_html(parts),
        picture,
        [(output.folder / "puma560.tex", "the equations as LaTeX")],
    )


def _turntable(model: Mechanism, pose: str, picture: bytes) -> Html:
    """A player of the mechanism at rest, which is the picture on paper."""
    from lagrangian.viewer.page import player_html
    from lagrangian.viewer.scene.track import still_track

    printed = image(picture, "png", f"{model.name} in the pose {pose}", class_="print") if picture else Html("")
    return element("div", Html(player_html(still_track(model, pose), height="420px")), printed, class_="stage")


def _entries(eom: EquationsOfMotion, *names_and_titles: tuple[str, str]) -> Html:
    rounding = NumberFormat(DIGITS)
    style = MathML(eom.notation, rounding)
    parts = []
    for name, title in names_and_titles:
        rows = "".join(typeset.equation(same, x.pieces(style)) for same, x in matrix_entries(getattr(eom, name)))
        parts += [element("h3", title)] if title else []
        parts.append(Html(f'<div class="eqs">{rows}</div>'))
    if rounding.rounded:
        parts.append(paragraph(f"Numbers rounded to {DIGITS} digits.", css_class="quiet"))
    return join_html(parts)


def _definitions(eom: EquationsOfMotion, *names: str) -> Html:
    """The definitions of the abbreviations in some matrices."""
    style = MathML(eom.notation, NumberFormat(DIGITS))
    formulas = [x for name in names for _, x in getattr(eom, name).entries]
    return element("div", *(typeset.definition(x, style) for x in definitions(eom, formulas)), class_="pairs")
