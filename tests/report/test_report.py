"""Reports of runs: what stands in them is what the motion holds, whatever its names are, and nothing is asked of the network."""

from __future__ import annotations

import copy
import datetime
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.status import Ending, Status
from lagrangian.report import equations_section, write
from lagrangian.report.html import number, number_column, short_number, table
from lagrangian.report.loads_section import actuators
from lagrangian.report.motion_section import energy
from lagrangian.report.subject import ReportSection, ReportSubject, constraints_verdict, energy_verdict, limits_verdicts
from lagrangian.report.write import report_html, write_report
from tests.motion.machines import chain

VOID = {"meta", "link", "img", "wbr", "br", "input", "mspace"}


class Page(HTMLParser):
    """Sections, with their text and the cells of their tables; every element must be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.section = "head"
        self.words: dict[str, str] = {}
        self.tables: dict[str, list[list[list[str]]]] = {}
        self.links: list[str] = []
        self.feed(html)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "sup":
            self.handle_data("^")
        entries = dict(attributes)
        self.links += [entries[name] or "" for name in ("src", "href") if name in entries]
        assert not any(name.startswith("on") for name in entries)
        tables = self.tables.setdefault(self.section, [])
        match tag:
            case "section":
                self.section = entries["id"] or ""
            case "table":
                tables.append([])
            case "tr":
                tables[-1].append([])
            case "td" | "th":
                tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open or "style" in self.open:
            return
        self.words[self.section] = self.words.get(self.section, "") + data
        if "td" in self.open or "th" in self.open:
            self.tables[self.section][-1][-1][-1] += data

    def row(self, section: str, first: str) -> dict[str, str]:
        """A row by its first cell, with the headings of its table."""
        for rows in self.tables[section]:
            for row in rows[1:]:
                if row[0] == first:
                    return dict(zip(rows[0], row, strict=True))
        raise KeyError(first)


def value(shown: str) -> float:
    """A number as a page writes it."""
    match = re.fullmatch(r"(−?)([\d.]*?)(?:\u00a0×\u00a0)?(?:10\^(−?\d+))?", shown.lstrip("+"))
    assert match, shown
    sign, mantissa, exponent = match.groups()
    return (-1 if sign else 1) * float(mantissa or 1) * 10.0 ** int((exponent or "0").replace("−", "-"))


@pytest.fixture(scope="module")
def linkage_motion() -> lg.Motion:
    return lg.simulate(lg.library("four_bar"), 2.0, events=[lg.Event("theta1 - 2", name="past two")], t_eval=201)


@pytest.fixture(scope="module")
def html(linkage_motion: lg.Motion) -> str:
    return report_html(linkage_motion)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


@pytest.fixture(scope="module")
def circle() -> lg.Motion:
    path = lg.paths.circle((1.2, 1.2), 0.2, duration=10, timing="uniform")
    return lg.inverse(lg.library("two_r"), path, frame="tip", q0={"theta2": -0.8}, t_eval=401)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take the longest, and are looked at elsewhere."""
    monkeypatch.setattr("lagrangian.plots.style.StyledFigure.savefig", lambda self, stream, **options: stream.write(b"<svg/>"))


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_sections_are_in_order_and_complete(page: Page) -> None:
    expected = ["mechanism", "equations", "joints", "forces", "energy", "constraints", "events", "actuators", "solver"]
    assert [name for name in page.words if name != "head"] == expected
    assert "✗" not in page.words["equations"]
    assert "1 degree of freedom" in page.words["mechanism"]
    assert "left out" not in "".join(page.words.values())
    assert "could not be written" not in "".join(page.words.values())


def test_joints_have_ranges_and_torques(page: Page, linkage_motion: lg.Motion) -> None:
    for k, name in enumerate(linkage_motion.coordinate_names):
        row = page.row("joints", name)
        for heading, x in (
            ("start", linkage_motion.q[0, k]),
            ("end", linkage_motion.q[-1, k]),
            ("least", linkage_motion.q[:, k].min()),
        ):
            assert value(row[heading]) == pytest.approx(x, rel=1e-3)
    shown = next(rows for rows in page.tables["joints"] if rows[0][1] == "peak speed")
    for k, row in enumerate(shown[1:]):
        assert row[0] == linkage_motion.speed_names[k]
        assert value(row[1]) == pytest.approx(np.abs(linkage_motion.qd[:, k]).max(), rel=1e-3)
        assert value(row[3]) == pytest.approx(np.abs(linkage_motion.qdd[:, k]).max(), rel=1e-3)
    driven = dict(zip(shown[0], shown[1], strict=True))
    assert value(driven["peak torque"]) == pytest.approx(np.abs(linkage_motion.tau[:, 0]).max(), rel=1e-3)
    mean = float(np.diff(linkage_motion.t) @ (linkage_motion.tau[1:, 0] ** 2 + linkage_motion.tau[:-1, 0] ** 2)) / 2 / 2.0
    assert value(driven["RMS torque"]) == pytest.approx(math.sqrt(mean), rel=1e-3)


def test_energies_of_the_report_balance(page: Page, linkage_motion: lg.Motion) -> None:
    T, V = linkage_motion.kinetic_energy, linkage_motion.potential_energy
    assert value(page.row("energy", "kinetic energy")["change"]) == pytest.approx(T[-1] - T[0], rel=1e-3)
    assert value(page.row("energy", "potential energy")["start"]) == pytest.approx(V[0], rel=1e-3)
    work = linkage_motion.work["torque"].sum(axis=1)
    assert value(page.row("energy", "work of torques")["change"]) == pytest.approx(work[-1], rel=1e-3)
    assert value(page.row("energy", "remainder (error)")["change"]) == pytest.approx(linkage_motion.energy_balance[-1], rel=0.06)
    parts = [value(page.row("energy", "together")["change"]), -value(page.row("energy", "work of torques")["change"])]
    assert sum(parts) == pytest.approx(0.0, abs=2e-3 * linkage_motion.energy_scale)


def test_constraints_and_events(page: Page, linkage_motion: lg.Motion) -> None:
    drift = page.row("constraints", "at the integrator's steps")
    assert value(list(drift.values())[1]) == pytest.approx(linkage_motion.statistics["drift_at_steps"], rel=0.06)
    event = page.row("events", "past two")
    assert value(event["t [s]"]) == pytest.approx(linkage_motion.events[0].t, rel=1e-6)
    assert value(event["theta1 [rad]"]) == pytest.approx(2.0, rel=1e-6)


def test_constraint_forces_and_reactions_are_those_of_the_motion(page: Page, linkage_motion: lg.Motion) -> None:
    for k, name in enumerate(linkage_motion.constraint_names):
        assert value(page.row("forces", name)["peak |λ|"]) == pytest.approx(
            np.abs(linkage_motion.multipliers[:, k]).max(), rel=1e-3
        )
    reactions = np.linalg.norm(linkage_motion.reactions[:, :, 3:], axis=2).max(axis=0)
    for k, joint in enumerate(lg.library("four_bar").joints):
        assert value(page.row("forces", joint.name)["peak force [N]"]) == pytest.approx(reactions[k], rel=1e-3)


@pytest.mark.usefixtures("undrawn")
def test_torques_and_motors_of_the_circle(circle: lg.Motion) -> None:
    page = Page(report_html(circle))
    assert value(page.row("actuators", "theta1")["peak"]) == pytest.approx(168.3, abs=0.05)
    sizing = lg.size_actuators(lg.library("two_r"), circle)
    chosen = sizing["theta1"].chosen
    assert chosen is not None
    assert chosen.motor.name in page.words["actuators"]
    assert str(chosen.gear) in page.words["actuators"]
    assert "Proved" in page.words["equations"]


def test_the_solver_is_described_with_its_versions(page: Page, linkage_motion: lg.Motion) -> None:
    words = page.words["solver"]
    assert f"Steps{linkage_motion.statistics['accepted']}" in words
    assert "DOP853" in words
    assert "numpy" in words


# -- nothing else is needed ---------------------------------------------------------------------------------------------


def test_nothing_is_fetched(page: Page) -> None:
    assert page.links
    assert [link[:60] for link in page.links if not link.startswith(("data:", "#"))] == []


def test_its_size(html: str) -> None:
    assert len(html) < 3e6


# -- names that are markup ----------------------------------------------------------------------------------------------

WICKED = '<img src=x onerror="alert(1)">&amp;</script><script>alert(2)</script>'


@pytest.mark.usefixtures("undrawn")
def test_names_are_text() -> None:
    model = lg.library("four_bar")
    wicked = model.replace(
        name=f"bar {WICKED}",
        description=f"A linkage. {WICKED}",
        source=WICKED,
        notes=(WICKED,),
        frames=(*model.frames, lg.Frame(WICKED, "coupler")),
        poses={**model.poses, WICKED: next(iter(model.poses.values()))},
    )
    html = report_html(lg.simulate(wicked, 0.2, events=[lg.Event("theta1 - 100", name=WICKED)], t_eval=11))
    assert "<img src=x" not in html
    assert "<script>alert" not in html
    page = Page(html)  # which sees no attribute that is code
    assert f"bar {WICKED}" in page.words["head"]
    assert WICKED in page.words["mechanism"]


# -- what fails, fails alone --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("undrawn")
def test_a_part_that_fails_says_why(circle: lg.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*subject: object) -> None:
        raise ZeroDivisionError("no <luck>")

    parts = [ReportSection(p.id, p.title, broken) if p.id == "energy" else p for p in write.SECTIONS]
    monkeypatch.setattr(write, "SECTIONS", parts)
    monkeypatch.setattr(write, "png", broken)
    messages: list[tuple[int, int]] = []
    with pytest.warns(lg.ReportWarning, match="picture for paper, Energy: could not be written: ZeroDivisionError") as met:
        page = Page(report_html(circle, lambda done, total: messages.append((done, total))))
    assert len(met) == 1
    assert messages == [(k, len(write.SECTIONS) + 2) for k in range(len(write.SECTIONS) + 3)]
    assert "could not be written: ZeroDivisionError: no <luck>" in page.words["energy"]
    assert "Proved" in page.words["equations"]


@pytest.mark.usefixtures("undrawn")
def test_without_a_mechanism(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    loaded = lg.read(linkage_motion.save(tmp_path / "run.nc"))
    loaded.mechanism = None
    with pytest.warns(lg.ReportWarning, match="Mechanism, Equations of motion.*needs the mechanism") as met:
        page = Page(write_report(loaded, tmp_path / "run.html").read_text(encoding="utf-8"))
    assert len(met) <= 2  # parts with the same reason are told of together
    for section in ("mechanism", "equations", "actuators"):
        assert "needs the mechanism" in page.words[section]
    assert value(page.row("energy", "kinetic energy")["end"]) == pytest.approx(linkage_motion.kinetic_energy[-1], rel=1e-3)


def test_more_than_anybody_reads(circle: lg.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = equations_section.equations(ReportSubject(circle))
    assert "are not shown" not in str(shown)
    monkeypatch.setattr(equations_section, "MAX_SHOWN_TERMS", 5)  # terms
    monkeypatch.setattr(equations_section, "MAX_ENTRY_TERMS", 3)
    some = str(equations_section.equations(ReportSubject(circle)))
    assert "2 entries with more than 3 terms are not shown" in some
    assert "Christoffel symbols are not zero" in some
    monkeypatch.setattr(equations_section, "MAX_COORDINATES", 1)
    assert "The equations of 2 coordinates are too long to show here" in str(equations_section.equations(ReportSubject(circle)))
    monkeypatch.undo()
    costly = chain(12)
    monkeypatch.setattr(equations_section, "MAX_DERIVATION_SECONDS", 1e-9)
    motion = lg.simulate(costly, 0.01, t_eval=2)
    assert "would take" in str(equations_section.equations(ReportSubject(motion)))


@pytest.mark.usefixtures("undrawn")
def test_a_run_of_nothing() -> None:
    page = Page(report_html(lg.simulate(lg.library("point_mass"), 0.1, [0.0], [0.0], t_eval=2)))
    assert "No motors are chosen" in page.words["actuators"] or "motor" in page.words["actuators"]


@pytest.mark.usefixtures("undrawn")
def test_a_run_that_broke_down(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    loaded = lg.read(linkage_motion.save(tmp_path / "run.nc"))
    for rows in (loaded.q, loaded.qd, loaded.qdd, loaded.tau, loaded.multipliers, loaded.kinetic_energy, loaded.potential_energy):
        rows[-20:] = np.nan
    loaded.ending = Ending(Status.FAILED, 1.8, reason="the numbers are not finite any more")
    with pytest.warns(lg.ReportWarning):  # motors are not chosen for it
        page = Page(report_html(loaded))
    assert "left out" not in page.words["joints"]  # where it went before is drawn
    assert "could not be written" not in page.words["joints"]
    assert "not finite any more" in page.words["head"]
    assert page.row("joints", "theta1")["end"] == "not a number"
    assert value(page.row("joints", "theta1")["start"]) == pytest.approx(linkage_motion.q[0, 0], rel=1e-3)
    assert "does not balance" in page.words["energy"]


# -- verdicts -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("undrawn")
def test_verdicts_follow_the_energy_error(linkage_motion: lg.Motion, tmp_path: Path) -> None:
    loaded = lg.read(linkage_motion.save(tmp_path / "run.nc"))
    assert energy_verdict(loaded).good
    assert constraints_verdict(loaded).good
    loaded.kinetic_energy = loaded.kinetic_energy * 1.001  # a thousandth too much is seen
    assert energy_verdict(loaded).good is False
    loaded.statistics["drift_between_steps"] = 1e-3
    assert constraints_verdict(loaded).good is False
    assert "does not balance" in str(energy(ReportSubject(loaded)))
    loaded.statistics["adaptive"] = False
    assert energy_verdict(loaded).good is None


@pytest.mark.usefixtures("undrawn")
def test_limits_that_are_passed_are_seen() -> None:
    arm = lg.library("two_r")
    bounds = [lg.JointLimits(speed=100, effort=5), lg.JointLimits(-3, 3, speed=4)]
    arm = arm.replace(joints=[replace(j, limits=x) for j, x in zip(arm.joints, bounds, strict=True)])
    motion = lg.simulate(arm, 1.0, torque=[8, 0], t_eval=101)
    messages = [x.badge for x in limits_verdicts(motion)]
    assert messages == [line for line in str(motion).splitlines() if "its limit is" in line]  # as the terminal says it
    assert [x.good for x in limits_verdicts(motion)] == [False, False]
    html = report_html(motion)
    page = Page(html)
    assert all(x in page.words["head"] for x in messages)
    assert html.count('<tr class="over">') == 2
    speeds = next(rows for rows in page.tables["joints"] if rows[0][1] == "peak speed")
    assert [x[2] for x in speeds[1:]] == ["100", "4"]
    assert value(speeds[2][1]) == pytest.approx(np.abs(motion.qd[:, 1]).max(), rel=1e-3)
    within = arm.replace(joints=[replace(j, limits=lg.JointLimits(-9, 9, 99, 99)) for j in arm.joints])
    assert [x.badge for x in limits_verdicts(lg.simulate(within, 0.1))] == ["within all limits"]
    assert limits_verdicts(lg.simulate(lg.library("two_r"), 0.1)) == []


@pytest.mark.usefixtures("undrawn")
def test_title_author_date_notes_and_sizing_are_in_the_report(circle: lg.Motion, tmp_path: Path) -> None:
    sizing = lg.size_actuators("two_r", circle, margin=3.0)
    day, notes = datetime.date(2025, 3, 1), "First.\nOn.\n\nThen <script>."
    file = circle.report(tmp_path / "a.html", title="Arm <b>2</b>", author="A. & B.", date=day, notes=notes, sizing=sizing)
    html = file.read_text(encoding="utf-8")
    page = Page(html)
    assert "Arm <b>2</b>" in page.words["head"]
    assert "A. & B. · 2025-03-01" in page.words["head"]
    assert "<title>Arm &lt;b&gt;2&lt;/b&gt;</title>" in html
    assert "<p>First.\nOn.</p>" in html
    assert "Then &lt;script&gt;." in html
    assert "The chosen motors and gears" in page.words["actuators"]
    for name, actuator in sizing.actuators.items():
        assert actuator.chosen is not None
        motors = next(rows for rows in page.tables["actuators"] if rows[0][1] == "motor")
        assert actuator.chosen.motor.name in next(row for row in motors if row[0] == name)


@pytest.mark.usefixtures("undrawn")
def test_wrong_arguments_of_the_report_are_refused(circle: lg.Motion, linkage_motion: lg.Motion) -> None:
    with pytest.raises(lg.ArgumentError, match="title is 3; a text is needed"):
        circle.report(title=3)
    with pytest.raises(lg.ArgumentError, match="date is 2025; a text or a date is needed"):
        circle.report(date=2025)
    with pytest.raises(lg.ArgumentError, match="sizing is True; a sizing of this motion is needed"):
        circle.report(sizing=True)
    with pytest.raises(lg.ArgumentError, match="is one of 'two_r', for 401 rows, and the motion is of 'four_bar', with 201"):
        linkage_motion.report(sizing=lg.size_actuators("two_r", circle, catalogue=False))
    with pytest.raises(lg.ArgumentError, match="there is no angles 'grad'"):
        circle.report(angles="grad")


@pytest.mark.usefixtures("undrawn")
def test_rounding_is_not_told_as_data() -> None:
    page = Page(report_html(lg.simulate("two_r", 2.0, q0=[-np.pi / 2, 0], qd0=[0, 0], torque=None, t_eval=101)))
    assert "nothing moves" in page.words["head"]
    for section in ("joints", "forces", "energy"):
        assert "10^−" not in "".join(cell for rows in page.tables[section] for row in rows for cell in row)


# -- files --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("undrawn")
def test_the_report_is_written_beside_its_run(circle: lg.Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert circle.report() == Path("two_r-report.html")
    assert Path("two_r-report.html").stat().st_size > 10_000
    named = copy.copy(circle)
    named.name = "Größe/пример: 示例"
    monkeypatch.setattr(write, "report_html", lambda *values: "")
    assert named.report() == Path("Größe_пример_示例-report.html")
    assert named.animate(trace=None).name == "Größe_пример_示例.html"
    with pytest.raises(lg.ArgumentError, match=r"must end in \.html"):
        circle.report("report.pdf")
    with pytest.raises(lg.ArgumentError, match="there is no folder"):
        circle.report("nowhere/report.html")
    with pytest.raises(lg.ArgumentError, match="not Mechanism"):
        write_report(lg.library("two_r"))  # type: ignore[arg-type]


# -- pieces -------------------------------------------------------------------------------------------------------------


def plain(markup: str) -> str:
    return re.sub("</?sup>", lambda m: "^" if m[0] == "<sup>" else "", markup)


@pytest.mark.parametrize("x", [1.0, -0.001, 123456.0, 99999.4, 9.9999e-4, 1e-16, -3.14159e8, 12345.6, 0.12345, 1e5, 1e22])
def test_numbers_read_back(x: float) -> None:
    assert value(plain(number(x))) == pytest.approx(x, rel=6e-3 if abs(x) < 1e-3 or abs(x) >= 1e5 else 6e-4)
    assert value(plain(short_number(abs(x)))) == pytest.approx(abs(x), rel=0.06)


def test_numbers_that_are_none() -> None:
    assert number(math.inf) == "∞"
    assert number(-math.inf) == "−∞"
    assert number(math.nan) == "not a number"
    assert number(0.0) == "0"


def test_rounding_below_larger_numbers_is_zero() -> None:
    assert number_column([3.0, -1e-16, 1e-11, math.nan]) == ["3", "0", number(1e-11), "not a number"]
    assert number_column([0.0, 1e-16]) == ["0", number(1e-16)]
    assert short_number(-2e-9) == "−" + short_number(2e-9)


def test_tables_of_many_rows_count_them() -> None:
    actual = table(("a", "b"), [*[("x", "y")] * 40, *[()] * 460])
    assert actual.count("<tr>") == 41
    assert "and 460 more" in actual


def test_what_is_missing_is_reported_without_code() -> None:
    """A page for those who did not write the run gives them no Python to type."""
    slide = lg.Joint("rail", "prismatic", "ground", "cart", axis=(1, 0, 0))
    m = lg.Mechanism("cart", [lg.Body("cart", 1.0, (0, 0, 0), (1, 1, 1))], [slide])
    message = str(actuators(ReportSubject(lg.simulate(m, 0.1, t_eval=5, torque=[2.0]))))
    assert "rail slides, and the travel per turn of a screw or pinion is not known" in message
    assert "lead=" not in message
    assert "catalogue=" not in message


def test_tables_escape_and_drop_what_is_empty() -> None:
    actual = table(("a", "b", "c"), [("<", "", 1), ("&", "", 2)])
    assert "<th>b</th>" not in actual
    assert "&lt;" in actual
    assert "&amp;" in actual
    assert table(("a",), []) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", lg.library())
def test_the_library(name: str) -> None:
    model = lg.library(name)
    start = model.initial.t_span[0] if model.initial.t_span else 0.0
    html = report_html(lg.simulate(model, (start, start + 0.1), t_eval=11))
    page = Page(html)
    assert "could not be written" not in "".join(page.words.values())
    assert len(html) < 3e6
    assert [link[:60] for link in page.links if not link.startswith(("data:", "#"))] == []
