"""What notebooks show: whole, escaped, and there even if a picture is not."""

from __future__ import annotations

import base64
import copy
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.events import Happening
from lagrangian.motion.status import Ending, Status
from tests.plots.motions import run, stopped_motion

WICKED = '<script>alert("x")</script> & <b>'


class Read(HTMLParser):
    """Text and tags of a page, each tag closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []
        self.images: list[dict[str, Any]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def wicked_mechanism() -> lg.Mechanism:
    body = lg.Body(WICKED, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    joint = lg.Joint(WICKED, "revolute", "ground", WICKED)
    return lg.Mechanism(WICKED, [body], [joint], description=WICKED, source=WICKED, notes=(WICKED,))


def test_a_mechanism_shows_its_tables() -> None:
    m = lg.library("puma560")
    page = Read(m._repr_html_())
    for joint in m.joints:
        assert joint.name in page.text
    for body in m.bodies:
        assert body.name in page.text
    whole = " ".join(page.text)
    assert m.description in whole
    assert m.source in whole
    # as many cells as print(m) has rows and columns
    assert page.tags.count("tr") == 2 + len(m.joints) + len(m.bodies)
    assert "by the rank" not in whole
    assert "5 constraint equations; 1 degree of freedom" in " ".join(Read(lg.library("bricard")._repr_html_()).text)


def test_a_picture_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = np.zeros((36, 48, 3), dtype=np.uint8)
    pixels[..., 0] = 200
    monkeypatch.setattr(lg.Mechanism, "draw", lambda self, path=None, *, q=None, size=None: pixels)
    (image,) = Read(lg.library("two_r")._repr_html_()).images
    kind, data = image["src"].split(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")

    def fails(self: Any, *_: Any, **__: Any) -> Any:
        raise RuntimeError("nothing to draw with")

    monkeypatch.setattr(lg.Mechanism, "draw", fails)
    page = Read(lg.library("two_r")._repr_html_())
    assert page.images == []
    assert "theta1" in page.text


def test_a_motion_shows_its_summary_and_plot() -> None:
    motion = stopped_motion()
    page = Read(motion._repr_html_())
    whole = " ".join(page.text)
    assert f"event at {motion.events[0].t:.9g} s" in page.text
    assert "locked" in page.text
    assert f"of {motion.energy_scale:.3g} J moved" in whole
    assert len(page.images) == 1


def test_all_text_is_escaped() -> None:
    m = wicked_mechanism()
    motion = lg.simulate(m, 0.1, t_eval=np.linspace(0, 0.1, 5))
    motion.events.append(Happening(WICKED, 0.05, motion.q[0], motion.qd[0]))
    failed = copy.copy(motion)
    failed.ending = Ending(Status.FAILED, 1.0, reason=WICKED)
    for page in (m._repr_html_(), motion._repr_html_(), failed._repr_html_()):
        assert "<script" not in page
        assert {"script", "b"}.isdisjoint(Read(page).tags)
        assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", page)
    assert WICKED in Read(m._repr_html_()).text
    assert b"<script" not in motion.plot().to_bytes("svg")
    for latex in (lg.derive(m)._repr_latex_(), lg.derive(m).M._repr_latex_()):
        assert latex.count("{") == latex.count("}")


def test_sizings_and_texts() -> None:
    arm = lg.library("two_r")
    motion = lg.inverse(arm, lg.paths.joint_line([0.0, 0.0], [1.0, 0.5], 1.0))
    sizing = lg.size_actuators(arm, motion)
    page = Read(sizing._repr_html_())
    for actuator in sizing.actuators.values():
        assert actuator.chosen is not None
        assert actuator.chosen.motor.name in page.text
    assert page.tags.count("table") == 2
    demand = lg.size_actuators(arm, motion, catalogue=False)
    assert Read(demand._repr_html_()).tags.count("table") == 1
    assert "1 degree of freedom" in lg.mobility(lg.library("four_bar"))._repr_html_()
    assert "Hz" in lg.linearise(arm, [-np.pi / 2, 0.0])._repr_html_()


def test_figures_show_themselves() -> None:
    """What IPython asks of an object: PNG bytes and the size to show them in."""
    figure = run("two_r").plot("energy")
    png, size = figure._repr_png_()
    assert png.startswith(b"\x89PNG")
    wide = int.from_bytes(png[16:20], "big")
    assert wide == 2 * size["width"]


# what MathJax 2 and 3 know without extensions
KNOWN = {
    *("displaystyle", "begin", "end", "text", "frac", "sqrt", "sin", "cos", "operatorname", "dot", "ddot", "quad", "mathrm"),
    *("mathit", "theta", "phi", "psi", "alpha", "beta", "gamma", "Gamma", "Psi", "eta", "tau", "lambda", "omega", "cdot", "left"),
    *("right", "delta", "Bigl", "Bigr"),
}


@pytest.mark.parametrize("name", ["two_r", "four_bar", "scara", "differential_drive", "puma560"])
def test_equations_typeset_in_notebooks(name: str) -> None:
    eom = lg.derive(lg.library(name))
    for latex in (eom._repr_latex_(), eom.M._repr_latex_(), eom.M[0, 0]._repr_latex_(), eom.tau[0]._repr_latex_()):
        assert latex.startswith("$")
        assert latex.endswith("$")
        assert "$" not in latex[1:-1]
        assert set(re.findall(r"\\([A-Za-z]+)", latex)) <= KNOWN
        assert set(re.findall(r"\\begin\{(\w+)\}", latex)) <= {"aligned", "bmatrix"}
        assert latex.count(r"\begin") == latex.count(r"\end")
        assert latex.count("{") == latex.count("}")


def test_long_formulas_are_broken_into_lines() -> None:
    from lagrangian.equations.writing.printers import latex_width

    eom = lg.derive(lg.library("puma560"))
    latex = eom.tau[1]._repr_latex_()
    rows = latex.removeprefix(r"$\displaystyle \begin{aligned}").split(r"\\")
    assert len(rows) > 3
    assert max(map(latex_width, rows)) < 60
    # nothing is lost on the way
    joined = "".join(rows).replace(r"\end{aligned}$", "")
    assert re.sub(r"&|\\quad|\s", "", joined) == re.sub(r"\s", "", eom.tau[1].latex(6))
