"""The studio's page in a real Chromium: what is typed, dragged and dropped, and what it looks like on a small screen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import BrowserTab, until
from tests.browser.studios import Served, at, becomes, begin, drag, quiet, screen, studio, text_of

L1, L2 = 0.5, 0.4  # of the arm to begin with

URDF = """<?xml version="1.0"?>
<robot name="swing">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
</robot>
"""

# what passes the right edge of a screen of 400 pixels, but in boxes that scroll by themselves
TOO_WIDE = """() => {
    const own = ".tabs, .cm-scroller, .wide, .typeset, .menu, .over-layer, .panel:not(.shown)";
    const seen = [...document.querySelectorAll("body *")].filter((n) => n.checkVisibility({ visibilityProperty: true }));
    return seen.filter((n) => n.getBoundingClientRect().right > 401 && !n.closest(own)).map((n) => n.className || n.tagName);
}"""
NAMELESS = """() => {
    const used = "button, input:not([hidden]), select, textarea, [role=separator], [role=tabpanel]";
    const said = (n) => n.getAttribute("aria-label") || n.getAttribute("aria-labelledby");
    const named = (n) => n.textContent.trim() || said(n) || n.labels?.length;
    return [...document.querySelectorAll(used)].filter((n) => !named(n)).map((n) => n.outerHTML.slice(0, 90));
}"""


@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with studio(tmp_path_factory.mktemp("studio") / "work") as server:
        yield server


@pytest.fixture
def arm(browser_tab: BrowserTab, studio_server: Served) -> Iterator[BrowserTab]:
    """The page with the arm to begin with, not yet saved."""
    page = browser_tab.page
    begin(page, studio_server.address)
    yield browser_tab
    assert browser_tab.complaints == []
    assert browser_tab.foreign((studio_server.origin, "data:", "blob:")) == []


def tip(page: Any) -> tuple[float, float]:
    """By the angles that the sliders show."""
    a, b = page.evaluate("studio.posture.values")
    return L1 * math.cos(a) + L2 * math.cos(a + b), L1 * math.sin(a) + L2 * math.sin(a + b)


def test_a_mistake_is_marked_at_its_line_and_the_mark_goes(arm):
    page = arm.page
    at(page, "gravity")
    page.keyboard.type("x")
    line = text_of(page)[: text_of(page).index("\nxgravity") + 1].count("\n") + 1
    problem = page.locator(".problem")
    problem.wait_for()
    assert problem.locator("b").inner_text() == f"Line {line}"
    assert "Did you mean 'gravity'?" in problem.inner_text()
    assert page.locator(".cm-lintRange-error").inner_text().startswith("xgravity")
    assert page.locator(".stage.stale").count() == 1  # the last picture stays, paler
    page.keyboard.press("Backspace")
    problem.wait_for(state="hidden")
    assert page.locator(".cm-lintRange-error").count() == 0


def test_a_completion_is_offered_and_taken(arm):
    page = arm.page
    at(page, "[pose]")
    page.keyboard.type("[[fr", delay=30)
    page.locator(".cm-tooltip-autocomplete li", has_text="[[frame]]").wait_for()
    page.wait_for_timeout(150)  # the editor takes no completion that has just appeared
    page.keyboard.press("Enter")
    assert "[[frame]]\n" in text_of(page).split("[pose]")[0].rsplit("[[frame]]", 1)[0] + "[[frame]]\n"
    assert "[[fr]]" not in text_of(page)


def test_the_tip_follows_the_mouse(arm):
    page = arm.page
    x, y = tip(page)
    goal = (0.35, 0.45)
    drag(page, screen(page, [0.99 * x, 0.99 * y, 0]), screen(page, [*goal, 0]))
    assert until(page, lambda: math.dist(tip(page), goal) < 0.03)  # it was held a little beside its tip
    page.mouse.up()
    # both in one call: the last answer of the server may still be on its way
    shown, values = page.evaluate("""() => {
        const inputs = [...document.querySelectorAll(".coordinate input[type=number]")];
        return [inputs.map((x) => Number(x.value)), studio.posture.values];
    }""")
    assert shown == pytest.approx([math.degrees(v) for v in values], abs=0.06)


def test_a_slider_moves_its_joint_and_the_text_keeps_the_pose(arm):
    page = arm.page
    number = page.locator(".coordinate input[type=number]").first
    number.fill("90")
    number.press("Enter")
    assert until(page, lambda: abs(page.evaluate("studio.posture.values[0]") - math.pi / 2) < 1e-9)
    elbow = page.evaluate("studio.mechanism.view.matrix(2).slice(12, 14)")
    assert elbow == pytest.approx([0, L1], abs=1e-6)
    at(page, "gravity")
    page.keyboard.type("# a remark\n")
    quiet(page)
    assert page.evaluate("studio.posture.values[0]") == pytest.approx(math.pi / 2)
    assert page.evaluate("studio.mechanism.view.matrix(2).slice(12, 14)") == pytest.approx([0, L1], abs=1e-6)


def test_a_dragged_length_is_one_edit_of_the_text(arm):
    page = arm.page
    before, (x, y) = text_of(page), tip(page)
    a, b = page.evaluate("studio.posture.values")
    page.locator('[data-mode="length"]').click()
    page.locator(".grip").nth(1).wait_for()
    longer = [x + 0.1 * math.cos(a + b), y + 0.1 * math.sin(a + b), 0]
    drag(page, screen(page, [x, y, 0]), screen(page, longer))
    assert until(page, lambda: "l2 = 0.4 " not in text_of(page) and "l2 = 0.4\n" not in text_of(page))
    page.mouse.up()
    quiet(page)
    assert until(page, lambda: abs(float(re.search(r"\nl2 = ([\d.]+)", text_of(page)).group(1)) - 0.5) < 0.01)
    assert re.sub(r"\nl2 = [\d.]+", "", text_of(page)) == re.sub(r"\nl2 = [\d.]+", "", before)
    page.locator("#undo").click()
    assert until(page, lambda: text_of(page) == before)
    page.keyboard.press("Control+Shift+z")
    assert until(page, lambda: text_of(page) != before)


def test_a_length_is_changed_by_the_keyboard(arm):
    page = arm.page
    page.locator("#mechanism").focus()
    page.keyboard.press("l")
    page.locator(".grip").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert until(page, lambda: float(re.search(r"\nl1 = ([\d.]+)", text_of(page)).group(1)) > L1)


def test_a_dropped_robot_file_is_opened(arm):
    page = arm.page
    page.evaluate(
        """text => {
            const carried = new DataTransfer();
            carried.items.add(new File([text], "swing.urdf"));
            const more = { bubbles: true, cancelable: true, dataTransfer: carried };
            for (const kind of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, more));
        }""",
        URDF,
    )
    page.locator("dialog button", has_text="Replace").click()
    assert until(page, lambda: "<robot" in text_of(page))
    quiet(page)
    assert page.locator(".coordinate .called").all_inner_texts() == ["hinge"]
    assert page.locator("#file").inner_text() == "swing.urdf"


def test_the_pages_of_a_small_screen_are_tabs(arm):
    page = arm.page
    page.set_viewport_size({"width": 400, "height": 800})
    for name in ("text", "view", "equations", "motion", "inverse", "study", "checks"):
        tab = page.locator(f"#tab-{name}")
        tab.click()
        assert tab.get_attribute("aria-selected") == "true"
        assert page.locator(f"#{tab.get_attribute('aria-controls')}").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        wide = page.evaluate(TOO_WIDE)
        assert wide == [], name
    assert page.locator("#pane-view").is_hidden()


def test_tabs_and_panes_are_reached_by_the_keyboard(arm):
    page = arm.page
    page.locator("#tab-equations").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-motion"
    assert page.locator("#panel-motion").is_visible()
    edge = page.locator("#split-panel")
    edge.focus()
    before = page.locator("#panels").bounding_box()["height"]
    page.keyboard.press("ArrowUp")
    assert page.locator("#panels").bounding_box()["height"] > before
    page.locator("#new").focus()
    page.keyboard.press("Enter")
    page.locator(".menu input").wait_for()
    page.keyboard.type("stew")
    assert page.locator(".menu [role=menuitem]:visible").all_inner_texts()[0].startswith("A Stewart platform")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "new"


def test_everything_that_can_be_used_has_a_name(arm):
    nameless = arm.page.evaluate(NAMELESS)
    assert nameless == []


def test_the_switch_of_colours(arm):
    page = arm.page
    dark = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    light = dark()
    page.locator("#theme").click()
    assert dark() != light
    assert page.evaluate("studio.mechanism.view.theme") == "dark"
    page.reload()
    becomes(page, "window.studio?.mechanism.view")
    assert dark() != light
    page.locator("#theme").click()
    assert dark() == light


def test_a_file_that_changed_on_disk_is_not_overwritten_unasked(arm, studio_server):
    page, file = arm.page, studio_server.folder / "kept.toml"
    page.keyboard.press("Control+s")
    page.locator("dialog input").fill("kept")
    page.keyboard.press("Enter")
    page.locator('#kept[data-state="saved"]').wait_for()
    mine = text_of(page)
    assert file.read_text(encoding="utf-8") == mine
    file.write_text("# somebody else\n" + mine, encoding="utf-8")
    at(page, "gravity")
    page.keyboard.type("# mine\n")
    page.keyboard.press("Control+s")
    page.locator("dialog h2", has_text="has changed").wait_for()
    page.keyboard.press("Escape")
    assert file.read_text(encoding="utf-8").startswith("# somebody else")
    page.keyboard.press("Control+s")
    page.locator("dialog button", has_text="Overwrite").click()
    page.locator('#kept[data-state="saved"]').wait_for()
    assert file.read_text(encoding="utf-8") == text_of(page)
    arm.complaints[:] = [c for c in arm.complaints if "409" not in c]  # the browser's own word on the refusal


def test_a_draft_without_a_file_is_not_replaced_unasked(arm):
    page = arm.page
    page.locator("#new").click()
    page.locator(".menu [role=menuitem]", has_text="A pendulum").first.click()
    page.locator("dialog h2", has_text="Save the description?").wait_for()
    page.locator("dialog button", has_text="Cancel").click()
    assert "theta2" in text_of(page)
    page.locator("#new").click()
    page.locator(".menu [role=menuitem]", has_text="A pendulum").first.click()
    page.locator("dialog button", has_text="Replace").click()
    assert until(page, lambda: "theta2" not in text_of(page))
    quiet(page)
