"""The live viewer in a real browser: sliders move the arm, loops stay closed, motions play, and nothing is fetched."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.viewer.live import view
from lagrangian.viewer.live.scene import LiveScene
from lagrangian.viewer.live.server import serve
from lagrangian.viewer.scene.poses import all_poses
from lagrangian.viewer.scene.scene import Track
from lagrangian.viewer.scene.scene_builder import mechanism_scene
from lagrangian.viewer.scene.track import _build_track
from tests.browser.conftest import until
from tests.processes import PATIENCE, interruptible

THIRD_PARTY = "THREE.Clock: This module has been deprecated"  # viser's own, of the library it draws with


def ours(browser_tab: Any) -> list[str]:
    return [complaint for complaint in browser_tab.complaints if THIRD_PARTY not in complaint]


def open_page(browser_tab: Any, url: str, text: str) -> Any:
    page = browser_tab.page
    page.on("websocket", lambda socket: browser_tab.requests.append(socket.url))
    page.goto(url)
    page.get_by_text(text).first.wait_for()
    page.locator("canvas").first.wait_for()
    return page


def drawn_track(mechanism: lg.Mechanism, t: np.ndarray, q: np.ndarray) -> Track:
    """Without compiling anything."""
    return _build_track(mechanism_scene(mechanism, q), t, all_poses(mechanism, q), (), ())


def field(page: Any, label: str) -> Any:
    """The number beside a slider."""
    return page.locator(f"xpath=//label[.='{label}']/following::input[@inputmode][1]")


def picture(page: Any) -> np.ndarray:
    import io

    from matplotlib.image import imread

    clip = {"x": 320, "y": 150, "width": 540, "height": 600}
    result: np.ndarray = imread(io.BytesIO(page.screenshot(clip=clip)))[..., :3]
    return result


def test_a_slider_moves_the_arm_and_its_loop_stays_closed(browser_tab: Any) -> None:
    four_bar = lg.library("four_bar")
    hostile = replace(four_bar.joints[2], name="phi3<img src=nowhere>")  # text from files is text
    four_bar = four_bar.replace(joints=(*four_bar.joints[:2], hostile))
    dyn = lg.compile(four_bar)
    with view(four_bar, browser=False, block=False) as viewer:
        page = open_page(browser_tab, viewer.url, "1 degree of freedom")
        assert until(page, lambda: page.title() == "four_bar")
        assert until(page, lambda: picture(page).std() > 0.02)  # the mechanism is there
        before, q = picture(page), viewer.q
        # typed into the field beside the slider
        field(page, "theta1 [°]").fill("40")
        assert until(page, lambda: abs(viewer.q[0] - math.radians(40)) < 1e-9)
        assert np.abs(viewer.q - q).max() > 0.3
        assert np.abs(dyn.closure(viewer.q)).max() < 1e-9
        assert until(page, lambda: np.abs(picture(page) - before).mean() > 0.005)
        # the passive joint's slider follows
        assert until(page, lambda: abs(float(field(page, "phi2 [°]").input_value()) - math.degrees(viewer.q[1])) < 0.051)
        # by keyboard
        slider = page.get_by_role("slider").first
        slider.focus()
        for expected in (40.1, 40.2, 40.3, 40.4, 40.5):
            slider.press("ArrowRight")
            assert until(page, lambda expected=expected: abs(viewer.q[0] - math.radians(expected)) < 1e-9)
        # by mouse
        box = slider.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2, steps=4)
        page.mouse.up()
        assert until(page, lambda: viewer.q[0] > math.radians(60))
        assert until(page, lambda: abs(float(field(page, "theta1 [°]").input_value()) - math.degrees(viewer.q[0])) < 0.051)
        assert np.abs(dyn.closure(viewer.q)).max() < 1e-9
        # a place where the loop cannot be closed: the rocker's dead point is where crank and coupler are in line
        rocker = field(page, "phi3<img src=nowhere> [°]")
        rocker.fill("170")
        page.get_by_text("phi3<img src=nowhere> stops at 146.4°: the loops cannot close beyond this point").wait_for()
        assert np.abs(dyn.closure(viewer.q)).max() < 1e-9
        assert until(page, lambda: abs(float(rocker.input_value()) - math.degrees(viewer.q[2])) < 0.051)
        # back home
        page.get_by_role("button", name="home").click()
        assert until(page, lambda: np.abs(viewer.q - q).max() < 1e-9)
        assert np.allclose(viewer.pose("coupler"), dyn.pose(q, "coupler"), atol=1e-9)
        own = (viewer.url, viewer.url.replace("http", "ws").rstrip("/"), "data:", "blob:")
    assert browser_tab.foreign(own) == []
    assert not any("nowhere" in url for url in browser_tab.requests)
    assert ours(browser_tab) == []


@pytest.mark.slow
def test_a_motion_plays_pauses_and_is_scrubbed(browser_tab: Any) -> None:
    motion = lg.simulate(lg.library("four_bar"), (0, 4))
    with view(motion, browser=False, block=False) as viewer:
        page = open_page(browser_tab, viewer.url, "Play")
        assert np.allclose(viewer.q, motion.q[0])
        page.get_by_text("Reactions [N]").click()
        page.get_by_role("button", name="Play").click()
        assert until(page, lambda: np.abs(viewer.q - motion.q[0]).max() > 0.1)
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Play").wait_for()
        stopped = viewer.q
        page.wait_for_timeout(150)
        assert np.array_equal(viewer.q, stopped)
        field(page, "Time [s]").fill("3")
        assert until(page, lambda: np.abs(viewer.q - motion(3.0)[0]).max() < 1e-9)
        page.get_by_text("kinetic energy").wait_for()
        own = (viewer.url, viewer.url.replace("http", "ws").rstrip("/"), "data:", "blob:")
    assert browser_tab.foreign(own) == []
    assert ours(browser_tab) == []


def test_bodies_may_have_any_names() -> None:
    """Names of nodes of the viewer's own, and two that differ by a slash only: nothing is drawn over, nothing taken away."""
    names = ("grid", "own", "path", "a/b", "a_b", "frames", "<b>")
    bodies = [lg.Body(name, 1, (0.5, 0, 0), (0, 0.1, 0.1)) for name in names]
    along = lg.Transform(position=(1, 0, 0))
    joints = [
        lg.Joint(f"q{k}", "revolute", parent, child, along if k else lg.Transform(), axis=(0, -1, 0))
        for k, (parent, child) in enumerate(zip(("ground", *names), names, strict=False))
    ]
    q = np.linspace(0, 1, 5)[:, None] * np.ones(len(names))
    t = np.arange(5.0)
    seen = drawn_track(lg.Mechanism("odd", bodies, joints, frames=[lg.Frame("a/b/c", "a/b")]), t, q)
    server, _ = serve(None, "odd")
    try:
        shown = LiveScene(server, seen, lg.Mechanism("odd", bodies, joints))
        shown.show_axes(True, True)
        shown.show_masses(True)
        for points in (seen.positions[:, 1], seen.positions[:, 2], None, seen.positions[:, 3]):
            shown.show_path(points)
        shown.show(seen.positions[-1], seen.quaternions[-1])
        for frame in shown.frames:
            assert frame.visible  # not taken away by another of its name
        shown.grid.visible = False
        paths = [frame.name for frame in shown.frames]
        assert len(set(paths)) == len(seen.scene.frames)
    finally:
        server.stop()


def test_the_port_and_what_is_shown_are_checked(capsys: Any) -> None:
    arm = lg.library("two_r")
    with view(arm, q="upright", browser=False, block=False) as viewer:
        assert capsys.readouterr().out == f"two_r is shown at {viewer.url}\n"
        assert np.allclose(viewer.q, arm.poses["upright"])
        with pytest.raises(lg.LagrangianError, match="cannot be used"):
            view(arm, port=urlsplit(viewer.url).port, browser=False, block=False)
    viewer.close()  # twice is once
    assert "closed" in repr(viewer)
    for wrong in (0, -1, 70000, "8080", True):
        with pytest.raises(lg.LagrangianError, match="port is"):
            view(arm, port=wrong, browser=False, block=False)
    with pytest.raises(lg.LagrangianError, match=r"there is no pose 'uprigth'\. Did you mean 'upright'"):
        view(arm, q="uprigth", browser=False, block=False)
    with pytest.raises(lg.LagrangianError, match="Mechanism or a Motion"):
        view("two_r", browser=False, block=False)
    assert capsys.readouterr().out == ""


SERVES = """
import sys, threading, time
import lagrangian as lg
from lagrangian.viewer.live import Viewer

main, seen = threading.get_ident(), 0

def tell():
    global seen
    while seen < 10:  # it stays there, so that it does wait
        time.sleep(0.02)
        seen = seen + 1 if sys._current_frames()[main].f_code is Viewer.wait.__code__ else 0
    print("waits", flush=True)

threading.Thread(target=tell, daemon=True).start()
mechanism = lg.library("two_r")
other = mechanism.view(browser=False, block=False)  # never closed
mechanism.view(browser=False)
print("done")
"""


def test_it_serves_until_ctrl_c_and_ends_quietly() -> None:
    running = interruptible([sys.executable, "-c", SERVES], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        _, line, waits = (running.stdout.readline() for _ in range(3))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    assert line.startswith("two_r is shown at http://127.0.0.1:")
    assert waits == "waits\n", err
    assert (out, err, running.returncode) == ("done\n", "", 0)
