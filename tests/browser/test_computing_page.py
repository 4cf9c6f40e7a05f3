"""Pages that compute, opened from a file: sliders give new motions, which are those of `simulate`, and all that shows them."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.motion import Motion
from lagrangian.viewer.scene.poses import all_poses
from tests.browser.conftest import BrowserTab, until
from tests.browser.test_player import changed_pixels, pixels
from tests.cli.conftest import Run, run  # noqa: F401 a fixture
from tests.page_motion.motions import motion as motion_of

SLIDERS = {
    "two_r": ["l1", "m2", "q0.theta1", "qd0.theta1"],
    "four_bar": [("l0", 0.5, 2.0), "l1", "m2", "q0.theta1"],
}
COMPUTING = "document.querySelector('.lagrangian-computing').computing"
MOST = 1_000_000  # bytes of a page


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The animation of a motion, written once."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def page(name: str) -> Path:
        if name not in known:
            known[name] = motion_of(name).animate(folder / f"{name}.html", sliders=SLIDERS[name])
        return known[name]

    return page


def open_page(browser_tab: BrowserTab, file: Path, width: int = 800, height: int = 500) -> Any:
    """The page, at rest, when it has computed its first motion."""
    page = browser_tab.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(file.as_uri())
    page.wait_for_function(f"() => {COMPUTING}?.motion && Object.values(lagrangianPlayers)[0].drawn")
    page.evaluate(f"() => {{ const p = {COMPUTING}.player; p.pause(); p.seek(0); }}")
    return page


def move_sliders(page: Any, **values: float) -> dict[str, Any]:
    """Sliders moved, and let go, as a hand does; what came of the last."""
    script = """async ([name, value]) => {
        const c = document.querySelector('.lagrangian-computing').computing, k = c.plan.inputs.findIndex(x => x.label === name);
        const done = new Promise(go => document.addEventListener('lagrangian-computed', e => go(e.detail), { once: true }));
        const { slider } = c.sliders.rows[k];
        slider.value = c.sliders.scale(k).factor * value;
        slider.dispatchEvent(new Event('input'));
        const found = await done;
        slider.dispatchEvent(new Event('change'));
        return { ...found, value: c.sliders.values[k] }; }"""
    results: dict[str, Any] = {}
    for name, value in values.items():
        results = page.evaluate(script, [name.replace("__", "."), value])
    return results


def pose(page: Any, frame: str) -> np.ndarray:
    """Where the player has a frame."""
    script = f"name => {{ const p = {COMPUTING}.player; return p.matrix(p.data.frames.findIndex(f => f.name === name)); }}"
    return np.array(page.evaluate(script, frame)).reshape(4, 4).T


def expected_position(motion: Motion, frame: str, t: float) -> np.ndarray:
    model = motion.mechanism
    assert model is not None
    names = ["ground", *(b.name for b in model.bodies), *(f.name for f in model.frames)]
    return all_poses(model, motion(np.array([t]))[0])[0, names.index(frame)]


def plot(page: Any, k: int = 0) -> str:
    result: str = page.locator(".lgc-chart canvas").nth(k).evaluate("e => e.toDataURL()")
    return result


def quiet(browser_tab: BrowserTab) -> None:
    """Nothing complained, and nothing was asked of the network: the worker is of the page itself."""
    assert browser_tab.complaints == []
    assert browser_tab.foreign() == []
    assert [url for url in browser_tab.requests if url.startswith("file:")] == [browser_tab.page.url]


def test_a_slider_gives_another_motion(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("two_r"))
    page.evaluate(f"() => {COMPUTING}.player.seek(1.3)")
    page.wait_for_function(f"() => !{COMPUTING}.player.stale")
    assert np.abs(pose(page, "tip") - expected_position(motion_of("two_r"), "tip", 1.3)).max() < 1e-3  # as it was recorded
    picture, curves, values = pixels(page, "#player canvas"), plot(page), page.locator(".lgc-names").first.inner_text()
    camera = f"() => {{ const {{ yaw, distance }} = {COMPUTING}.player.camera; return [yaw, distance]; }}"
    page.mouse.move(200, 200)
    page.mouse.wheel(0, 120)  # a view that someone chose stays
    seen = page.evaluate(camera)
    assert move_sliders(page, l1=0.7, m2=20.0)["rows"] == page.evaluate(f"() => {COMPUTING}.plan.rows")
    assert page.evaluate(f"() => [{COMPUTING}.player.time, {COMPUTING}.player.playing]") == [pytest.approx(1.3), False]
    assert page.evaluate(camera) == seen
    model = lg.library("two_r").with_parameters(l1=0.7, m2=20.0)
    truth = lg.simulate(model, 5.0)
    for t in (1.3, 3.9):
        page.evaluate(f"() => {COMPUTING}.player.seek({t})")
        assert np.abs(pose(page, "tip") - expected_position(truth, "tip", t)).max() < 2e-3  # between rows, by interpolation
    page.evaluate(f"() => {COMPUTING}.player.seek(1.3)")
    page.wait_for_function(f"() => !{COMPUTING}.player.stale")
    assert changed_pixels(picture, pixels(page, "#player canvas")) > 500
    assert plot(page) != curves
    assert page.locator(".lgc-names").first.inner_text() != values
    # the arm is drawn as long as it is, to the point where the next is hinged
    high = page.evaluate(f"() => {COMPUTING}.player.data.parts.find(p => p.name === 'link1').high[0]")
    recorded = page.evaluate(f"() => {COMPUTING}.player.first.parts[0].high[0]")
    assert high == pytest.approx(recorded - 0.3, abs=2e-3)
    quiet(browser_tab)


def test_it_goes_on_playing(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("two_r"))
    page.evaluate(f"() => {{ const p = {COMPUTING}.player; p.seek(2); p.speed = 0.1; p.play(); }}")
    move_sliders(page, q0__theta1=-1.0)
    now = page.evaluate(f"() => {COMPUTING}.player.time")
    assert 2.0 <= now < 3.0
    page.wait_for_function(f"() => {COMPUTING}.player.playing && {COMPUTING}.player.time > {now}")
    quiet(browser_tab)


def test_back_to_the_first_values(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("two_r"))
    rows = page.evaluate(f"() => {COMPUTING}.player.data.rows")
    reset, back = page.get_by_role("button", name="Reset"), page.get_by_role("button", name="Restore the first value of l1")
    assert reset.is_disabled()
    assert not back.is_visible()
    move_sliders(page, l1=0.6, q0__theta1=0.0)
    assert page.evaluate(f"() => {COMPUTING}.player.data.rows") != rows
    back.click()
    page.wait_for_function(f"() => {COMPUTING}.sliders.values[0] === 1 && {COMPUTING}.motion")
    assert not back.is_visible()
    assert not reset.is_disabled()
    reset.click()
    page.wait_for_function(f"() => {COMPUTING}.player.data.rows === {rows} && !{COMPUTING}.replaced")  # the recorded one again
    page.evaluate(f"() => {COMPUTING}.player.seek(1.0)")
    assert np.abs(pose(page, "tip") - expected_position(motion_of("two_r"), "tip", 1.0)).max() < 1e-3
    part = "p.data.parts[0].v instanceof Uint16Array && p.data.parts[0].high[0]"
    assert page.evaluate(f"() => {{ const p = {COMPUTING}.player; return {part}; }}") == pytest.approx(1.03, abs=0.05)
    quiet(browser_tab)


def test_by_keyboard_and_by_typing(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("two_r"))
    values = f"() => {COMPUTING}.sliders.values"
    page.get_by_role("slider", name="l1").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => {COMPUTING}.sliders.values[0] > 1")
    assert page.evaluate(f"() => {COMPUTING}.player.time") == 0  # an arrow on a slider is not one for the player
    field = page.get_by_role("textbox", name="theta1, its value").first
    assert field.input_value() == "−90"  # degrees
    field.fill("-30")
    field.press("Enter")
    assert page.evaluate(values)[2] == pytest.approx(-np.pi / 6)
    for wrong in ("thirty", "", "1e999"):
        field.fill(wrong)
        field.press("Tab")
        assert field.input_value() == "−30"
    field.fill("720")
    field.press("Enter")
    assert page.evaluate(values)[2] == pytest.approx(0.0)  # as far as the slider goes: a quarter of a turn
    page.get_by_role("combobox", name="Unit of angles").select_option("radians")
    assert field.input_value() in ("0", "−0")
    assert page.locator(".lgc-plot-title").first.inner_text() == "Coordinates [rad]"
    quiet(browser_tab)


def test_plots_show_the_time_and_lead_to_it(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("two_r"), 1200, 800)
    over = page.locator(".lgc-chart .u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 20)
    page.wait_for_function(f"() => Math.abs({COMPUTING}.player.time - 2) < 0.05")
    line = page.locator(".lgc-now").first
    assert until(page, lambda: abs(line.bounding_box()["x"] - box["x"] - 0.4 * box["width"]) < 3)
    value_text = page.locator(".lgc-entry output").first.inner_text().replace("−", "-")
    t = page.evaluate(f"() => {COMPUTING}.player.time")
    assert float(value_text) == pytest.approx(np.degrees(motion_of("two_r")(t)[0][0]), abs=1.0)
    assert page.locator(".lgc-plot-title").all_inner_texts() == ["Coordinates [deg]", "Speeds [deg/s]", "Energy [J]"]


def test_a_linkage_that_does_not_close(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("four_bar"))
    before = pose(page, "coupler")
    assert move_sliders(page, l0=1.9)["rows"] == 0
    assert "do not close" in page.locator(".lgc-status").inner_text()
    for form in ("TOML", "Command", "Python"):  # the start would be that of the motion before
        assert page.get_by_role("button", name=form).is_disabled()
        assert "no motion to copy" in page.get_by_role("button", name=form).get_attribute("title")
    assert np.array_equal(pose(page, "coupler"), before)
    actual = move_sliders(page, l0=1.1)
    assert actual["rows"] > 0
    assert "computed in" in page.locator(".lgc-status").inner_text()
    assert page.get_by_role("button", name="Python").is_enabled()
    truth = lg.simulate(lg.library("four_bar").with_parameters(l0=actual["value"]), 3.0)
    for t in (0.0, 0.8, 2.0):
        page.evaluate(f"() => {COMPUTING}.player.seek({t})")
        assert np.abs(pose(page, "rocker") - expected_position(truth, "rocker", t)).max() < 3e-3
    seen = f"""() => {{ const {{ camera }} = {COMPUTING}.player, {{ width, height }} = camera;
        return camera.points.map(p => camera.project(p)).every(([x, y]) => x >= 0 && x <= width && y >= 0 && y <= height); }}"""
    assert until(page, lambda: page.evaluate(seen))  # all of it is in the picture, which was made larger
    ground = page.evaluate(f"() => {COMPUTING}.player.data.parts.find(p => p.name === 'ground').high[0]")
    first = page.evaluate(f"() => {COMPUTING}.player.first.parts.at(-1).high[0]")
    assert ground - first == pytest.approx(0.1, abs=2e-3)  # its other joint stands farther away
    quiet(browser_tab)


def test_forces_are_those_of_the_new_motion(browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    page = open_page(browser_tab, pages("four_bar"))
    move_sliders(page, m2=3.0)
    page.get_by_role("button", name="Constraints").click()  # only now are they computed
    page.wait_for_function(f"() => {COMPUTING}.motion.arrows && {COMPUTING}.player.data.arrows.length")
    script = f"""() => {{ const p = {COMPUTING}.player, a = p.data.arrows.find(x => x.name === 'force of closure');
        p.seek(1); return p.course.vector(a.v).map(x => x / a.scale); }}"""
    truth = lg.simulate(lg.library("four_bar").with_parameters(m2=3.0), 3.0, t_eval=301)
    assert page.evaluate(script) == pytest.approx([*truth.multipliers[100], 0.0], rel=0.02, abs=0.05)
    quiet(browser_tab)


# -- values written elsewhere --------------------------------------------------------------------------------------------


def copied_text(page: Any, form: str) -> str:
    page.get_by_role("button", name=form).click()
    page.locator(".lgc-told").filter(has_text="Cop").wait_for()
    return str(page.locator(".lgc-text").inner_text())


def end_of(page: Any) -> list[float]:
    """The last row of the coordinates."""
    script = f"""() => {{ const {{ plan, motion }} = {COMPUTING}, n = motion.t.length;
        return plan.series.flatMap((x, k) => x.group === 'coordinates' ? [motion.values[k * n + n - 1]] : []); }}"""
    values: list[float] = page.evaluate(script)
    return values


CHANGES = {
    "two_r": {"l1": 0.8, "m2": 15.0, "q0__theta1": -1.2, "qd0__theta1": 0.5},
    "four_bar": {"l1": 0.33, "q0__theta1": 1.2},
}


@pytest.mark.parametrize("name", SLIDERS)
def test_a_command_and_a_description_give_the_motion_again(
    name: str,
    browser_tab: BrowserTab,
    pages: Callable[[str], Path],
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    page = open_page(browser_tab, pages(name))
    assert page.get_by_title("q0.theta1", exact=True).inner_text() == "theta1"  # as `sliders` and `inputs` name it
    move_sliders(page, **CHANGES[name])
    words = shlex.split(copied_text(page, "Command"))
    assert words[:3] == ["lagrangian", "simulate", name]
    assert run(*words[1:], "--json").json["q_end"] == pytest.approx(end_of(page), abs=1e-6)
    fragment = tomllib.loads(copied_text(page, "TOML"))
    assert set(fragment) == {"parameters", "initial"}
    (tmp_path / "mine.toml").write_text(_with(lg.library(name), fragment), encoding="utf-8")
    time = words[words.index("-t") + 1]
    assert run("simulate", "mine.toml", "-t", time, "--json").json["q_end"] == pytest.approx(end_of(page), abs=1e-6)
    known: dict[str, Any] = {}
    exec(copied_text(page, "Python"), known)
    assert known["motion"].q[-1] == pytest.approx(end_of(page), abs=1e-6)
    quiet(browser_tab)


def _with(model: lg.Mechanism, fragment: dict[str, Any]) -> str:
    """The description with the lines of a fragment in the place of its own."""
    from lagrangian.description import load

    text = (load.library_folder() / model.file).read_text(encoding="utf-8")
    for name, value in {**fragment["parameters"], **fragment["initial"]}.items():
        text, times = re.subn(rf"(?m)^{name} = .*", f"{name} = {value}", text, count=0 if name in ("q", "qd") else 1)
        assert times == 1, name
    return text


def test_names_are_only_text(browser_tab: BrowserTab, tmp_path: Path) -> None:
    name = "</script><img src=x onerror='document.title=1'> $(id) `"
    body = lg.Body("b", 1.0, (0.3, 0, 0), (0.01, 0.02, 0.03))
    model = lg.Mechanism(name, [body], [lg.Joint(name, "revolute", "ground", "b", axis="y")])
    model = lg.load(lg.save(model, tmp_path / "$(id) `b`.toml"))
    file = lg.simulate(model, 1.0, q0=[0.3]).animate(tmp_path / "page.html", sliders=[f"q0.{name}", "b.mass"])
    page = open_page(browser_tab, file)
    for form in ("TOML", "Python", "Command"):
        assert copied_text(page, form)
    words = shlex.split(page.locator(".lgc-text").inner_text())  # a shell runs nothing of it
    assert words[:3] == ["lagrangian", "simulate", "$(id) `b`.toml"]
    move_sliders(page, b__mass=1.5)  # which has no name that a command could set
    assert page.get_by_role("button", name="Command").is_disabled()
    assert not page.locator(".lgc-text").is_visible()
    assert '"b.mass": 1.5' in copied_text(page, "Python")
    assert page.locator("img").count() == 0
    assert page.title().startswith("</script>")
    quiet(browser_tab)


# -- where nothing can be computed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["WebAssembly", "Worker", "DecompressionStream"])
def test_an_older_browser_plays_what_was_recorded(missing: str, browser_tab: BrowserTab, pages: Callable[[str], Path]) -> None:
    browser_tab.page.add_init_script(f"delete window.{missing}")
    browser_tab.page.goto(pages("two_r").as_uri())
    browser_tab.page.wait_for_function("() => lagrangianPlayers.player.time > 0.05")
    note = browser_tab.page.locator(".lgc-note")
    assert note.inner_text().startswith("This page plays the recorded motion, because this browser")
    assert browser_tab.page.locator("input[type=range]").count() == 1  # the player's own
    box = browser_tab.page.locator("#player").bounding_box()
    assert box["width"] == 1200  # it has the window, but for the note
    assert box["height"] + note.bounding_box()["height"] == pytest.approx(800, abs=1)
    quiet(browser_tab)


def test_a_module_that_does_not_open(browser_tab: BrowserTab, pages: Callable[[str], Path], tmp_path: Path) -> None:
    html = pages("two_r").read_text(encoding="utf-8")
    other = tmp_path / "broken.html"
    other.write_text(re.sub(r'"wasm":"[^"]*"', '"wasm":"eJxjZGBkAAAADQAE"', html), encoding="utf-8")
    browser_tab.page.goto(other.as_uri())
    browser_tab.page.locator(".lgc-note").wait_for()
    assert browser_tab.page.evaluate("() => lagrangianPlayers.player.data.rows") > 60
    quiet(browser_tab)


def test_a_motion_that_pages_cannot_compute(browser_tab: BrowserTab, tmp_path: Path) -> None:
    model = lg.library("two_r")
    motion = lg.inverse(model, lg.paths.joint_line([0, 0.5], [0.4, 1.0], 1.0))
    browser_tab.page.goto(motion.animate(tmp_path / "page.html").as_uri())
    browser_tab.page.wait_for_function("() => lagrangianPlayers.player.drawn")
    assert "was not simulated" in browser_tab.page.locator(".lgc-note").inner_text()
    quiet(browser_tab)
    with pytest.raises(lg.LagrangianError, match="was not simulated"):  # who asks for sliders is told
        motion.animate(tmp_path / "other.html", sliders=["l1"])
    page = motion.animate(tmp_path / "plain.html", sliders=False).read_text(encoding="utf-8")
    assert "lgc-note" not in page


# -- how it looks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (400, True)])
def test_nothing_is_cut_off(browser_tab: BrowserTab, pages: Callable[[str], Path], width: int, dark: bool) -> None:
    browser_tab.page.emulate_media(color_scheme="dark" if dark else "light")
    page = open_page(browser_tab, pages("four_bar"), width, 800)
    move_sliders(page, l1=0.33)
    copied_text(page, "Python")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    out = """() => [...document.querySelectorAll('.lgc-panel *')].filter(e => { const b = e.getBoundingClientRect();
        return b.width && (b.right > innerWidth + 1 || b.left < -1); }).map(e => e.className)"""
    assert page.evaluate(out) == []
    ink = page.locator(".lgc-title").evaluate("e => getComputedStyle(e).color")
    assert (sum(map(int, re.findall(r"\d+", ink)[:3])) > 400) is dark
    if width == 400:  # the picture stays in sight while sliders below it are moved
        page.get_by_role("slider", name="m2").scroll_into_view_if_needed()
        assert page.locator("#player canvas").bounding_box()["y"] == 0


def test_a_report_computes_too(browser_tab: BrowserTab, tmp_path: Path) -> None:
    file = motion_of("four_bar").report(tmp_path / "report.html", sliders=["l1", "m2"])
    page = browser_tab.page
    page.goto(file.as_uri())
    page.wait_for_function(f"() => {COMPUTING}?.motion && {COMPUTING}.player.drawn")
    page.evaluate(f"() => {COMPUTING}.player.pause()")
    assert page.locator(".lgc-row").count() == 2
    assert move_sliders(page, m2=2.5)["rows"] > 0
    assert page.locator(".lgc-foot").inner_text() == "The rest of this page describes the recorded motion."
    quiet(browser_tab)


def _motion(name: str) -> Motion:
    return motion_of(name) if name == "puma560" else lg.simulate(lg.library(name))  # their whole time


@pytest.mark.parametrize("name", ["two_r", "four_bar", "puma560", "stewart"])
def test_pages_are_small(name: str, tmp_path: Path) -> None:
    assert _motion(name).animate(tmp_path / "page.html").stat().st_size < MOST / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two_r", "four_bar", "puma560", "stewart"])
def test_reports_are_small_and_compute(name: str, browser_tab: BrowserTab, tmp_path: Path) -> None:
    file = _motion(name).report(tmp_path / "report.html")
    assert file.stat().st_size < MOST
    browser_tab.page.goto(file.as_uri())
    browser_tab.page.wait_for_function(f"() => {COMPUTING}?.motion")
    browser_tab.page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
    assert until(browser_tab.page, lambda: browser_tab.page.locator("script.packed").count() == 0)
    quiet(browser_tab)


def test_what_is_typed_beyond_the_range_is_reported(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_page(browser_tab, lg.simulate("two_r", 1).animate(tmp_path / "arm.html", sliders=["l1"]))
    field = page.locator(".lgc-value").first
    field.fill("9")
    field.press("Enter")
    told = page.locator(".lgc-told").first
    assert told.inner_text() == "The range is from 0.5 to 2."
    assert field.input_value() == "2"
    field.fill("one")
    field.press("Enter")
    assert told.inner_text() == "A number is needed, from 0.5 to 2."
    field.fill("1.5")
    field.press("Enter")
    assert told.is_hidden()
