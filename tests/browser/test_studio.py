"""The studio from an empty folder to a report and C code, as somebody would who has just heard of it."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import until
from tests.browser.studios import Served, at, begin, drag, quiet, studio, text_of


@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with studio(tmp_path_factory.mktemp("studio") / "work") as server:
        yield server


def length(page: Any) -> float:
    match = re.search(r"\nl2 = ([\d.]+)", text_of(page))
    assert match
    return float(match.group(1))


def frame(page: Any, name: str, axis: int) -> float:
    """Where a frame of the picture is now."""
    values: float = page.evaluate(f"studio.mechanism.where({json.dumps(name)})[{axis}]")
    return values


def test_from_an_empty_folder_to_a_report_and_c_code(browser_tab, tmp_path, capsys):
    page, folder = browser_tab.page, tmp_path / "work"
    began = time.monotonic()
    with studio(folder) as served:
        page.goto(served.address)

        # a new arm
        page.get_by_role("button", name="A planar arm").click()
        quiet(page)
        assert page.locator(".coordinate .called").all_inner_texts() == ["theta1", "theta2"]

        # a mistake is marked while it is typed, and mended
        at(page, 'mass = "m1"')
        page.keyboard.press("End")
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.type('7"')
        page.locator(".problem", has_text="m7").wait_for()
        assert page.locator(".cm-lintRange-error").count() > 0
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.type('1"')
        page.locator(".problem").wait_for(state="hidden")
        quiet(page)

        # the equations are there, and can be copied
        mass = page.locator("#panel-equations section", has_text="Mass matrix")
        mass.locator("math").first.wait_for()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        mass.get_by_role("button", name="Copy as LaTeX").click()
        page.locator(".note", has_text="Copied").wait_for()
        assert r"\frac" in page.evaluate("navigator.clipboard.readText()")

        # a link is dragged longer
        page.get_by_role("radio", name="Lengths").click()
        grip = page.locator(".grip").nth(1)
        grip.wait_for()
        box, x = grip.bounding_box(), frame(page, "tip", 0)
        start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        drag(page, start, (start[0] + 40, start[1] - 45))
        assert until(page, lambda: length(page) > 0.42)
        page.mouse.up()
        quiet(page)
        assert until(page, lambda: frame(page, "tip", 0) > x)

        # it is played: first it is where the text says, then it has fallen
        page.get_by_role("tab", name="Motion").click()
        page.get_by_role("button", name="Play", exact=True).first.click()
        page.locator("#panel-motion .uplot").first.wait_for()
        assert page.evaluate("studio.mechanism.view.playing")
        page.evaluate("studio.mechanism.at(0)")
        assert frame(page, "tip", 1) == pytest.approx(0.5 * 0.17365 + length(page) * 0.76604, abs=2e-3)
        page.evaluate("studio.mechanism.at(0.4)")
        assert frame(page, "tip", 1) < 0

        # a study, with a row for every value
        page.get_by_role("tab", name="Study").click()
        page.locator("#panel-study input[type=number]").nth(1).fill("0.6")
        page.get_by_role("button", name="Run the study").click()
        page.locator("#panel-study .uplot").wait_for()
        page.locator("#panel-study summary").click()
        rows = page.locator("#panel-study .wide tbody tr").all_inner_texts()
        assert len(rows) == 11

        # saved, with a report and C code
        page.keyboard.press("Control+s")
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        page.locator('#kept[data-state="saved"]').wait_for()
        for entry, button in (("Report", "Write the report"), ("C code", "Export")):
            page.locator("#export").click()
            page.get_by_role("menuitem", name=entry).first.click()
            page.get_by_role("dialog").get_by_role("button", name=button).click()
        page.locator(".note", has_text="arm-report.html").wait_for()
        page.locator(".note", has_text="arm.c").wait_for()
        took = time.monotonic() - began

        assert (folder / "arm.toml").read_text(encoding="utf-8") == text_of(page)
        assert "<!DOCTYPE html>" in (folder / "arm-report.html").read_text(encoding="utf-8")[:200]
        compile_export(folder / "arm-c")
        assert browser_tab.complaints == []
        assert browser_tab.foreign((served.origin, "data:", "blob:")) == []
    with capsys.disabled():
        print(f"\nfrom an empty folder to a report and C code: {took:.1f} s")


def compile_export(folder: Path) -> None:
    """The code that was saved is C."""
    compiler = shutil.which("cc")
    if compiler is None:
        assert (folder / "arm.c").read_text().count("{") > 3
        return
    subprocess.run([compiler, "-std=c99", "-fsyntax-only", "-I", str(folder), str(folder / "arm.c")], check=True, timeout=120)


def test_a_motion_begins_where_it_is_reported_and_its_loops_are_closed(browser_tab, studio_server):
    page = browser_tab.page
    begin(page, studio_server.address, template=3)  # the four-bar
    page.get_by_role("tab", name="Motion").click()
    page.locator("#panel-motion select").select_option("values")
    page.get_by_label("theta1 at the start", exact=True).fill("1.2")
    page.get_by_role("button", name="Play", exact=True).first.click()
    page.locator("#panel-motion .uplot").first.wait_for()
    page.evaluate("studio.mechanism.at(0)")
    pin = [frame(page, "coupler", k) for k in range(3)]  # the crank's end, 0.3 m from the origin
    assert pin == pytest.approx([0.3 * math.cos(1.2), 0.3 * math.sin(1.2), 0], abs=1e-3)
    ends = page.evaluate(
        """() => {
            const { view } = studio.mechanism, { frames } = view.data;
            const at = (name) => view.matrix(frames.findIndex((f) => f.name === name));
            const end = (m, l) => [0, 1, 2].map((k) => m[12 + k] + l * m[k]);
            return [end(at("coupler"), 0.9), end(at("rocker"), 0.6)];
        }"""
    )
    assert ends[0] == pytest.approx(ends[1], abs=1e-3)
    assert browser_tab.complaints == []


def test_a_long_study_shows_how_far_it_is_and_can_be_stopped(browser_tab, studio_server):
    page = browser_tab.page
    begin(page, studio_server.address)
    page.get_by_role("tab", name="Study").click()
    fields = page.locator("#panel-study input[type=number]")
    fields.nth(2).fill("1000")
    page.locator("#panel-study select").nth(1).select_option("m2")
    fields.nth(5).fill("30")
    page.get_by_role("button", name="Run the study").click()
    bar = page.locator("#panel-study .job")
    bar.wait_for()
    assert until(page, lambda: float(bar.locator("progress").get_attribute("value") or 0) > 0)
    assert float(bar.locator("progress").get_attribute("max")) == 30_000
    bar.get_by_role("button", name="Stop").click()
    page.locator("#panel-study", has_text="Stopped.").wait_for()
    fields.nth(2).fill("3")
    fields.nth(5).fill("2")
    page.get_by_role("button", name="Run the study").click()  # and it goes on afterwards
    page.locator("#panel-study canvas.heat").wait_for()
    assert browser_tab.complaints == []


def test_a_drawn_path_gives_forces_and_motors(browser_tab, studio_server):
    page = browser_tab.page
    begin(page, studio_server.address)
    page.get_by_role("tab", name="Inverse").click()
    page.get_by_role("button", name="Draw a path").click()
    box = page.locator("#mechanism canvas").bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 20, steps=12)
    page.mouse.move(x + 80, y + 40, steps=12)
    page.mouse.up()
    page.locator("#panel-inverse .uplot").first.wait_for()
    drawn = page.evaluate("studio.mechanism.overlay.points")
    assert all(abs(p[2]) < 1e-6 for p in drawn)  # the arm's plane, though the view looks at it from aside
    for t, point in ((0, drawn[0]), (2, drawn[-1])):  # the tip goes from the first point to the last
        page.evaluate(f"studio.mechanism.at({t})")
        assert page.evaluate("studio.mechanism.where('tip')") == pytest.approx(point, abs=0.01)
    peaks = page.locator("#panel-inverse .wide table").first.inner_text()
    assert "theta1" in peaks
    assert "W" in peaks
    assert browser_tab.complaints == []
