"""Chapters of equations: derived, typeset and proved."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from lagrangian.closed_form.definitions import definitions
from lagrangian.closed_form.derive import derive
from lagrangian.closed_form.equations import Equations
from lagrangian.closed_form.sections import entries
from lagrangian.equations.writing.mathml import MathML
from lagrangian.equations.writing.text import Rounding
from lagrangian.library import library
from lagrangian.model.mechanism import Mechanism
from lagrangian.report import typeset
from lagrangian.report.html import Html, element, folded, image, joined, paragraph, rough
from lagrangian.report.parts.equations import DIGITS, certificate
from lagrangian.report.tour.chapter import Chapter, Check, Place, still

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


def two_r(place: Place) -> Chapter:
    model = library("two_r")
    began = perf_counter()
    eom = derive(model)
    took = perf_counter() - began
    proof = eom.prove()
    eom.save(place.folder / "two_r.tex")
    parts = [
        typeset.lines(typeset.of_motion(False, False)),
        _entries(eom, ("M", "Mass matrix"), ("C", "Coriolis matrix"), ("G", "Gravity")),
        _where(eom, "M", "C", "G"),
        certificate(proof),
    ]
    by_hand = _by_hand(eom)
    return Chapter(
        "two_r",
        "Two links: equations",
        "This is the planar arm of every textbook. Its Lagrange equations in closed form are as short as those written by "
        "hand. They are proved: four derivations and the compiled algorithms agree as polynomials, not only at some points.",
        TWO_R,
        f"derived in {1e3 * took:.0f} ms, proved in {proof.seconds:.2f} s",
        [
            Check("statements proved", f"{sum(s.proved for s in proof.statements)}", f"{len(proof.statements)}", proof.proved),
            Check("M₁₁ minus m₁r₁² + m₂(l₁² + r₂² + 2l₁r₂c₂) + I₁ + I₂", rough(by_hand), "0", abs(by_hand) < 1e-13),
        ],
        joined(parts),
        still(model, [0.9, 0.7]),
        [(place.folder / "two_r.tex", "the equations as LaTeX")],
    )


def _by_hand(eom: Equations) -> float:
    """The derived M11 less the textbook's, at numbers without a pattern: nothing but rounding is left."""
    l1, r1, r2, m1, m2, i1, i2 = 0.91, 0.43, 0.37, 3.1, 2.3, 0.21, 0.17
    theta2 = 0.7321
    found = eom.M[0, 0].evaluate(q=[0.3, theta2], l1=l1, r1=r1, r2=r2, m1=m1, m2=m2, I1=i1, I2=i2)
    expected = m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * l1 * r2 * np.cos(theta2)) + i1 + i2
    return float(found - expected)


def puma(place: Place) -> Chapter:
    from lagrangian.kernels.dynamics import compile as compiled

    model = library("puma560")
    began = perf_counter()
    eom = derive(model)
    took = perf_counter() - began
    proof = eom.prove()
    eom.save(place.folder / "puma560.tex")
    q = model.poses["qn"]
    gravity = np.asarray(compiled(model).gravity(np.array(q, dtype=float)))
    off = float(np.abs(gravity - GRAVITY_QN).max())
    picture = still(model, "qn", (960, 600))
    parts = [
        _turnable(model, "qn", picture),
        _entries(eom, ("G", "Gravity")),
        _where(eom, "G"),
        folded(f"Mass matrix: {eom.M.operators} operators", _entries(eom, ("M", ""))),
        certificate(proof),
    ]
    statements = len(proof.statements)
    return Chapter(
        "puma560",
        "PUMA 560: equations",
        "Six joints with the parameters of Armstrong, Khatib and Burdick. The equations, which have thousands of terms when "
        "expanded, fit on a page and are proved, too.",
        PUMA,
        f"derived in {1e3 * took:.0f} ms, proved in {proof.seconds:.2f} s",
        [
            Check("statements proved", f"{sum(s.proved for s in proof.statements)}", f"{statements}", proof.proved),
            Check(
                "gravity torques in the pose qn [N m]",
                ", ".join(f"{x:.4f}" for x in gravity[1:5] + 0.0),
                "31.6399, 6.0351, 0.0000, 0.0283 (Corke, Robotics Toolbox)",
                off < 5e-5,
            ),
        ],
        joined(parts),
        picture,
        [(place.folder / "puma560.tex", "the equations as LaTeX")],
    )


def _turnable(model: Mechanism, pose: str, picture: bytes) -> Html:
    """The mechanism at rest, to be looked at from all sides; on paper, the picture."""
    from lagrangian.viewer.page import player_html
    from lagrangian.viewer.scene.track import still_track

    printed = image(picture, "png", f"{model.name} in the pose {pose}", class_="print") if picture else Html("")
    return element("div", Html(player_html(still_track(model, pose), height="420px")), printed, class_="stage")


def _where(eom: Equations, *what: str) -> Html:
    """What the abbreviations in some matrices stand for."""
    style = MathML(eom.notation, Rounding(DIGITS))
    formulas = [x for name in what for _, x in getattr(eom, name).entries]
    return element("div", *(typeset.definition(x, style) for x in definitions(eom, formulas)), class_="pairs")


def _entries(eom: Equations, *what: tuple[str, str]) -> Html:
    rounding = Rounding(DIGITS)
    style = MathML(eom.notation, rounding)
    parts = []
    for name, title in what:
        rows = "".join(typeset.equation(same, x.pieces(style)) for same, x in entries(getattr(eom, name)))
        parts += [element("h3", title)] if title else []
        parts.append(Html(f'<div class="eqs">{rows}</div>'))
    if rounding.rounded:
        parts.append(paragraph(f"Numbers rounded to {DIGITS} digits.", kind="quiet"))
    return joined(parts)
