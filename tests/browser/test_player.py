"""The offline page in a real browser: it plays, it can be moved in time and space, loops stay closed, nothing is fetched."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.motion.motion import Motion
from lagrangian.viewer.page import page_html, player_assets, player_html
from lagrangian.viewer.scene.poses import all_poses
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.track import motion_track
from tests.browser.conftest import BrowserTab, until
from tests.browser.tracks import chain, slider

DRAWN = "() => Object.values(lagrangianPlayers).filter(p => p.visible).every(p => p.drawn && !p.stale)"


def open_player(browser_tab: BrowserTab, folder: Path, html: str, ready: bool = True) -> Any:
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    browser_tab.page.set_viewport_size({"width": 600, "height": 420})  # software draws small pictures faster
    browser_tab.page.goto(file.as_uri())
    if ready:
        browser_tab.page.wait_for_function("() => Object.values(lagrangianPlayers).some(p => p.drawn)")
    return browser_tab.page


def still(page: Any, t: float | None = None, id: str = "player") -> np.ndarray:  # noqa: A002
    """The canvas's pixels, paused, at a time."""
    page.evaluate(f"() => {{ const p = lagrangianPlayers[{id!r}]; p.pause(); {'' if t is None else f'p.seek({t})'} }}")
    page.wait_for_function(DRAWN)
    return pixels(page, f"#{id} canvas")


def pixels(page: Any, where: str) -> np.ndarray:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(page.locator(where).screenshot())).convert("RGB")).astype(int)


def changed_pixels(a: np.ndarray, b: np.ndarray) -> int:
    """How many pixels are clearly different."""
    return int((np.abs(a - b).max(axis=2) > 24).sum())


def quiet(browser_tab: BrowserTab) -> None:
    assert browser_tab.complaints == []
    assert browser_tab.foreign() == []
    assert len(browser_tab.requests) == 1  # the page itself


def test_time_goes_on_until_it_is_paused(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(
        browser_tab, tmp_path, page_html(slider(duration=100.0), "slider")
    )  # its end is far, however slow the machine
    assert page.evaluate("() => lagrangianPlayers.player.playing")
    page.wait_for_function("() => lagrangianPlayers.player.time > 0.2")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for()
    stopped = page.evaluate("() => lagrangianPlayers.player.time")
    page.wait_for_timeout(150)
    assert page.evaluate("() => lagrangianPlayers.player.time") == stopped
    page.keyboard.press("Tab")  # away from the button
    page.locator("#player").focus()
    page.keyboard.press("Space")
    page.wait_for_function(f"() => lagrangianPlayers.player.time > {stopped} + 0.1")
    page.keyboard.press("End")
    page.wait_for_function("() => lagrangianPlayers.player.time === 100 && !lagrangianPlayers.player.playing")
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_function("() => Math.abs(lagrangianPlayers.player.time - 90) < 1e-6")
    quiet(browser_tab)


def test_it_repeats_and_it_ends(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(duration=0.3), "slider"))
    page.evaluate("() => lagrangianPlayers.player.seek(0.29)")
    page.wait_for_function("() => lagrangianPlayers.player.time > 0.2999")
    page.wait_for_function("() => lagrangianPlayers.player.time < 0.2")  # again, after a rest
    page.get_by_role("button", name="Repeat").click()
    page.wait_for_function("() => !lagrangianPlayers.player.playing && lagrangianPlayers.player.time > 0.2999")
    assert page.evaluate("() => lagrangianPlayers.player.time") == pytest.approx(0.3, abs=1e-4)
    quiet(browser_tab)


def test_scrubbing_moves_the_bodies(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider", autoplay=False))
    first, second = still(page, 0.0), still(page, 1.7)
    assert changed_pixels(first, second) > 500
    assert changed_pixels(first, still(page, 0.0)) == 0
    box = page.locator(".lgp-slider").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => Math.abs(lagrangianPlayers.player.time - 1) < 0.02")
    page.wait_for_function("() => /^(1\\.0|0\\.9)/.test(document.querySelector('.lgp-clock').textContent)")
    quiet(browser_tab)


def test_poses_are_those_of_the_track_and_smooth_between_its_rows(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(rows=31), "slider", autoplay=False))
    times = np.linspace(0, 2, 41)
    seen = np.array(
        page.evaluate(
            "ts => ts.map(t => { lagrangianPlayers.player.seek(t); return lagrangianPlayers.player.matrix(1); })", list(times)
        )
    )
    poses = seen.reshape(-1, 4, 4).transpose(0, 2, 1)
    assert np.abs(poses[:, :3, 3] - np.stack([0.4 * times - 0.4, 0 * times, 0.2 + 0 * times], axis=1)).max() < 2e-5
    turn = np.pi / 2 * times
    assert np.abs(poses[:, 0, 0] - np.cos(turn)).max() < 1e-4
    assert np.abs(poses[:, 1, 0] - np.sin(turn)).max() < 1e-4


@pytest.fixture(scope="module")
def four_bar() -> tuple[Motion, Track]:
    """A four-bar whose crank turns by a quarter of a radian and more from row to row."""
    motion = lg.simulate(lg.library("four_bar"), 3.0, qd0={"theta1": 9.0})
    return motion, motion_track(motion, rows=91)


def test_a_loop_stays_closed_at_every_time(browser_tab: BrowserTab, tmp_path: Path, four_bar: tuple[Motion, Track]) -> None:
    motion, seen = four_bar
    assert motion.mechanism is not None
    loop = motion.mechanism.loops[0]
    sides = [
        (seen.scene.frames.index(body), p.matrix()[:3, 3].tolist())
        for body, p in ((loop.a, loop.a_placement), (loop.b, loop.b_placement))
    ]
    page = open_player(browser_tab, tmp_path, page_html(seen, "four-bar", autoplay=False))
    script = """([sides, ts]) => { const p = lagrangianPlayers.player;
        return ts.map(t => { p.seek(t); return sides.map(([k, x]) => {
        const m = p.matrix(k), w = [0, 1, 2].map(r => m[r] * x[0] + m[4 + r] * x[1] + m[8 + r] * x[2] + m[12 + r]);
        return [...w, ...p.camera.project(w)]; }); }); }"""
    times = np.linspace(0, 3, 401)
    a, b = np.moveaxis(np.array(page.evaluate(script, [sides, times.tolist()])), 1, 0)
    assert np.ptp(a[:, :2], axis=0).min() > 0.05  # it does move
    assert np.abs(a[:, :3] - b[:, :3]).max() < 1e-4 * seen.scene.size
    assert np.abs(a[:, 3:] - b[:, 3:]).max() < 0.1  # pixels
    # and the bodies are where the mechanics has them between the rows, not only together
    truth = all_poses(motion.mechanism, motion(times)[0])[:, sides[0][0]] @ [*sides[0][1], 1.0]
    assert np.abs(a[:, :3] - truth[:, :3]).max() < 2e-3 * seen.scene.size
    quiet(browser_tab)


def test_arrows_frames_and_path_can_be_shown_and_hidden(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider", autoplay=False))
    before = still(page, 1.0)
    for name, few in (("Reactions", 60), ("Torques", 60), ("Frames", 60), ("Path", 60)):
        button = page.get_by_role("button", name=name)
        pressed = button.get_attribute("aria-pressed")
        button.click()
        assert until(page, lambda button=button, pressed=pressed: button.get_attribute("aria-pressed") != pressed)
        after = still(page)
        assert changed_pixels(before[40:], after[40:]) > few, name  # below the buttons themselves
        before = after
    quiet(browser_tab)


def test_the_camera_turns_moves_zooms_and_comes_back(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider", autoplay=False))
    camera = """() => { const { yaw, pitch, distance: far, target } = lagrangianPlayers.player.camera;
        return { yaw, pitch, far, target }; }"""
    picture, home = still(page, 0.5), page.evaluate(camera)
    page.mouse.move(300, 200)
    page.mouse.down()
    page.mouse.move(400, 230)
    page.mouse.up()
    page.wait_for_function(f"() => Math.abs(lagrangianPlayers.player.camera.yaw - {home['yaw'] - 0.8}) < 1e-6")
    turned = page.evaluate(camera)
    assert turned["pitch"] > home["pitch"]
    assert changed_pixels(picture, still(page)) > 500
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"() => lagrangianPlayers.player.camera.distance < {0.9 * home['far']}")
    page.keyboard.down("Shift")
    page.mouse.down()
    page.mouse.move(350, 230)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert until(page, lambda: page.evaluate(camera)["target"] != turned["target"])
    page.mouse.dblclick(300, 200)
    assert until(page, lambda: page.evaluate(camera) == home)
    assert changed_pixels(picture[:-30], still(page)[:-30]) == 0  # above the hint, which went with the first click
    quiet(browser_tab)


def test_a_name_may_be_anything(browser_tab: BrowserTab, tmp_path: Path) -> None:
    name = '</script><img src=x onerror="document.title=1"> "&\' <!-- é \u2028 {x}'
    page = open_player(browser_tab, tmp_path, page_html(slider(name=name), name))
    assert page.title().split() == name.split()
    assert page.locator(".lgp-name").evaluate("e => e.textContent") == name
    assert page.locator("img").count() == 0
    quiet(browser_tab)


def test_a_chain_of_many_links(browser_tab: BrowserTab, tmp_path: Path) -> None:
    """Each on its own frame: more corners than a function takes as arguments."""
    page = open_player(browser_tab, tmp_path, page_html(chain(1200), "chain", autoplay=False))
    assert page.evaluate("() => lagrangianPlayers.player.radius") == pytest.approx(0.6, abs=0.1)
    first, last = still(page, 0.0), still(page, 1.0)
    assert changed_pixels(first, last) > 200
    assert page.evaluate("() => lagrangianPlayers.player.camera.points.length") < 100_000
    quiet(browser_tab)


def test_many_players_share_a_page(browser_tab: BrowserTab, tmp_path: Path) -> None:
    """More than a browser has WebGL contexts for; those out of sight neither draw nor go on."""
    seen = slider(rows=7)
    players = "\n".join(player_html(seen, id=f"p{k}", height="300px") for k in range(20))
    page = open_player(browser_tab, tmp_path, f"<!DOCTYPE html><html><head>{player_assets()}</head><body>{players}</body></html>")
    page.wait_for_function("() => lagrangianPlayers.p0.time > 0.05 && lagrangianPlayers.p1.drawn")
    assert page.evaluate("() => [lagrangianPlayers.p19.time, lagrangianPlayers.p19.drawn]") == [0, None]
    page.evaluate("() => document.getElementById('p19').scrollIntoView()")
    page.wait_for_function("() => lagrangianPlayers.p19.drawn && lagrangianPlayers.p19.time > 0")
    page.wait_for_function("() => !lagrangianPlayers.p0.visible")
    assert len(np.unique(still(page, 0.5, "p19").reshape(-1, 3), axis=0)) > 100
    quiet(browser_tab)


@pytest.mark.parametrize("name", ["two_r", "pendulum"])
def test_a_small_mechanism_fills_the_picture(browser_tab: BrowserTab, tmp_path: Path, name: str) -> None:
    motion = lg.simulate(name, 2.0, t_eval=61)
    page = open_player(browser_tab, tmp_path, page_html(motion_track(motion, forces=False), name, autoplay=False))
    inside = np.array(
        page.evaluate("() => { const c = lagrangianPlayers.player.camera; return c.points.map(x => c.project(x)); }")
    )
    width = page.evaluate("() => lagrangianPlayers.player.camera.width")
    top = page.locator(".lgp-chips").evaluate("e => e.getBoundingClientRect().bottom")
    note = page.locator(".lgp-note").evaluate("e => e.getBoundingClientRect().top")
    assert inside[:, 0].min() > 0
    assert inside[:, 0].max() < width
    assert inside[:, 1].min() > top - 1
    assert inside[:, 1].max() < note + 1
    assert max(np.ptp(inside[:, 0]) / width, np.ptp(inside[:, 1]) / (note - top)) > 0.85
    quiet(browser_tab)


def test_a_window_of_another_size(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider", autoplay=False))
    page.set_viewport_size({"width": 360, "height": 640})
    page.wait_for_function("() => lagrangianPlayers.player.camera.width === 360")
    page.wait_for_function(DRAWN)
    page.wait_for_function("() => document.documentElement.scrollWidth === 360")
    page.evaluate("() => lagrangianPlayers.player.show('reactions', true)")
    page.wait_for_function(DRAWN)
    script = """() => { const p = lagrangianPlayers.player, all = p.camera.points.concat(p.camera.tips());
        return [all.map(x => p.camera.project(x)), p.camera.points.length]; }"""
    corners, parts = page.evaluate(script)
    inside = np.array(corners)
    assert len(inside) > parts + 100  # ends of both arrows, and the bow of the torque
    top = page.locator(".lgp-chips").evaluate("e => e.getBoundingClientRect().bottom")
    note = page.locator(".lgp-note").evaluate("e => e.getBoundingClientRect().top")
    assert inside[:, 0].min() > 0
    assert inside[:, 0].max() < 360
    assert inside[:, 1].min() > top
    assert inside[:, 1].max() < note
    tip = page.evaluate("x => lagrangianPlayers.player.camera.project(x)", [-0.4, 0, 0.2 + 10 * 0.03])
    assert np.abs(inside[parts:] - tip).max(axis=1).min() < 1  # the whole arrow, not a part of it
    for name in ("Play", "Repeat"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    quiet(browser_tab)


def test_a_still_has_no_time(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(rows=1), "slider"))
    assert page.locator(".lgp-bar").count() == 0
    assert not page.evaluate("() => { const p = lagrangianPlayers.player; p.play(); return p.playing; }")
    assert len(np.unique(pixels(page, "canvas").reshape(-1, 3), axis=0)) > 100
    quiet(browser_tab)


def test_those_who_want_less_motion_get_it(browser_tab: BrowserTab, tmp_path: Path) -> None:
    browser_tab.page.emulate_media(reduced_motion="reduce", color_scheme="dark")
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider"))
    assert not page.evaluate("() => lagrangianPlayers.player.playing")
    assert pixels(page, "canvas").mean() < 90  # dark
    quiet(browser_tab)


def test_a_context_that_the_browser_took_away_is_made_again(browser_tab: BrowserTab, tmp_path: Path) -> None:
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider", autoplay=False))
    before = still(page, 0.5)
    page.evaluate("() => lagrangianPlayers.player.gpu.stage.gl.getExtension('WEBGL_lose_context').loseContext()")
    still(page, 1.0)
    assert changed_pixels(before, still(page, 0.5)) == 0
    assert browser_tab.foreign() == []


def test_without_webgl_there_is_a_sentence(browser_tab: BrowserTab, tmp_path: Path) -> None:
    browser_tab.page.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        "  return kind === 'webgl2' ? null : get.call(this, kind, ...rest); };"
    )
    page = open_player(browser_tab, tmp_path, page_html(slider(), "slider"), ready=False)
    page.get_by_role("alert").wait_for()
    assert "WebGL 2 is missing" in page.get_by_role("alert").inner_text()
    quiet(browser_tab)


def test_what_the_page_carries_is_what_it_decodes(browser_tab: BrowserTab, tmp_path: Path) -> None:
    seen = slider(rows=31)
    page = open_player(browser_tab, tmp_path, page_html(seen, "slider", autoplay=False))
    script = """() => { const d = lagrangianPlayers.player.data, list = (of, key) => of.map(x => [...x[key]]);
        return [[...d.t], list(d.frames, "p"), list(d.frames, "r"), list(d.arrows, "v")]; }"""
    data = page.evaluate(script)
    assert np.abs(np.array(data[0]) - seen.t).max() < 1e-6
    assert np.abs(np.array(data[1]).reshape(2, 31, 3).transpose(1, 0, 2) - seen.positions).max() < 1e-5
    assert np.abs(np.array(data[2]).reshape(2, 31, 4).transpose(1, 0, 2) - seen.quaternions).max() < 2e-5
    assert np.abs(np.array(data[3][0]).reshape(31, 3) - 0.03 * seen.arrows[0].vectors).max() < 1e-5
