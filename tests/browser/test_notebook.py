"""Animations in a real JupyterLab: they show themselves in their cells, and their sliders are Python's too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import BrowserTab, until
from tests.browser.jupyter import Lab, Notebook
from tests.browser.test_player import changed_pixels, pixels

pytest.importorskip("anywidget")
pytest.importorskip("jupyterlab")
pytestmark = pytest.mark.slow

SHOWN = "import lagrangian as lg\nwidget = lg.simulate('two_r', 5).animate(sliders=['l1', 'm2', 'q0.theta1'])\nwidget"
DRAWN = """count => { const all = Object.values(window.lagrangianPlayers || {});
    return all.length === count && all.every(p => p.drawn); }"""
COMPUTED = """() => [...document.querySelectorAll('.lagrangian-computing')].every(e => e.computing?.engine?.ready
    && e.computing.motion && !e.computing.engine.running && !e.computing.engine.waiting)"""
TIP = """() => { const p = Object.values(lagrangianPlayers)[0], frames = p.data.frames.map(f => f.name);
    p.pause(); p.seek(2); return p.matrix(frames.indexOf('tip')).slice(12, 15); }"""
PLACE = """import numpy as np
from lagrangian.viewer.scene.poses import all_poses, frame_names

m = widget.motion()
poses = all_poses(m.mechanism, m(np.array([2.0]))[0])
print(poses[0, frame_names(m.mechanism).index("tip"), :3, 3].tolist())
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    jupyter = Lab.start(tmp_path_factory.mktemp("lab"))
    yield jupyter
    jupyter.stop()


def wait_for_players(notebook: Notebook, players: int = 1) -> None:
    """Until the players have drawn, and the worker of each has computed its first motion."""
    notebook.page.wait_for_function(DRAWN, arg=players)
    notebook.page.wait_for_function(COMPUTED)


def slider(notebook: Notebook, name: str) -> Any:
    return notebook.page.get_by_role("slider", name=name, exact=True)


def printed_text(notebook: Notebook, k: int) -> str:
    return str(notebook.run(k).locator("pre").first.inner_text()).strip()


def picture(notebook: Notebook, t: float = 2.0) -> np.ndarray:
    """The only player's, at a time; one that is out of sight does not draw."""
    notebook.page.locator(".lgp-canvas").scroll_into_view_if_needed()
    notebook.page.evaluate("t => { const [p] = Object.values(lagrangianPlayers); p.pause(); p.seek(t); }", t)
    notebook.page.wait_for_function("() => { const [p] = Object.values(lagrangianPlayers); return p.visible && !p.stale; }")
    return pixels(notebook.page, ".lgp-canvas")


def quiet(browser_tab: BrowserTab, lab: Lab) -> None:
    assert browser_tab.complaints == []
    assert browser_tab.foreign((lab.url, "data:", "blob:")) == []


def test_a_motion_shows_itself_and_its_sliders_are_those_of_python(lab: Lab, browser_tab: BrowserTab) -> None:
    message = "print(repr(widget.inputs['l1']))"
    lab.write("shown.ipynb", SHOWN, message, "widget.inputs = {'m2': 20.0}\nwidget.inputs['l1'] = 0.75", PLACE)
    notebook = lab.open(browser_tab, "shown.ipynb")
    page = notebook.page
    notebook.run(0)
    wait_for_players(notebook)
    before = picture(notebook)
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 100

    # keys move the slider, and are no commands of the notebook, which would choose another cell
    slider(notebook, "l1").focus()
    for _ in range(40):
        page.keyboard.press("ArrowUp")
    value = float(slider(notebook, "l1").input_value())
    assert value > 1.05
    page.wait_for_function(COMPUTED)
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "l1"
    after = picture(notebook)
    assert changed_pixels(before, after) > 300
    assert float(printed_text(notebook, 1)) == pytest.approx(value, abs=1e-9)

    # and Python moves it
    notebook.run(2)
    assert until(page, lambda: float(slider(notebook, "l1").input_value()) == 0.75)
    assert float(slider(notebook, "m2").input_value()) == 20.0
    page.wait_for_function(COMPUTED)
    assert changed_pixels(after, picture(notebook)) > 300
    here = page.evaluate(TIP)  # what is in the picture is what Python simulates with these values
    assert here == pytest.approx(json.loads(printed_text(notebook, 3)), abs=1e-4)
    quiet(browser_tab, lab)


def test_it_is_as_light_or_dark_as_the_notebook(lab: Lab, browser_tab: BrowserTab) -> None:
    lab.write("theme.ipynb", SHOWN)
    notebook = lab.open(browser_tab, "theme.ipynb")
    notebook.run(0)
    wait_for_players(notebook)
    light = picture(notebook)
    notebook.theme("JupyterLab Dark")
    notebook.page.wait_for_selector(".lagrangian-player.lgp-dark")
    notebook.page.wait_for_selector(".lagrangian-computing.lgc-dark")
    assert picture(notebook).mean() < 0.5 * light.mean()
    notebook.theme("JupyterLab Light")
    notebook.page.wait_for_selector(".lagrangian-player:not(.lgp-dark)")
    quiet(browser_tab, lab)


def test_several_in_one_notebook_and_one_shown_twice(lab: Lab, browser_tab: BrowserTab) -> None:
    lab.write("several.ipynb", SHOWN, "widget", "lg.simulate('pendulum', 2).animate()")
    notebook = lab.open(browser_tab, "several.ipynb")
    page, busy = notebook.page, len(notebook.page.workers)
    for k in range(3):
        notebook.run(k)
    notebook.page.wait_for_function("() => document.querySelectorAll('.lagrangian-player').length === 3")
    for k in range(3):
        page.locator(".lagrangian-player").nth(k).scroll_into_view_if_needed()
        page.wait_for_function("k => document.querySelectorAll('.lagrangian-player')[k].player.drawn", arg=k)
    page.wait_for_function(COMPUTED)
    twice = page.get_by_role("slider", name="l1", exact=True)
    assert twice.count() == 2
    twice.nth(1).focus()
    page.keyboard.press("ArrowRight")
    moved = twice.nth(1).input_value()
    assert float(moved) != 1.0
    assert until(page, lambda: twice.nth(0).input_value() == moved)  # the same widget
    assert len(page.workers) == busy + 3
    # cleared outputs leave nothing behind
    page.evaluate("() => jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    page.wait_for_function("() => Object.keys(lagrangianPlayers).length === 0")
    assert until(page, lambda: len(page.workers) == busy)
    quiet(browser_tab, lab)


def test_a_saved_notebook_plays_and_computes_without_its_kernel(lab: Lab, browser_tab: BrowserTab) -> None:
    lab.write("saved.ipynb", SHOWN)
    notebook = lab.open(browser_tab, "saved.ipynb")
    notebook.run(0)
    wait_for_players(notebook)
    slider(notebook, "l1").focus()
    notebook.page.keyboard.press("End")
    notebook.page.wait_for_function(COMPUTED)
    last = slider(notebook, "l1").input_value()
    notebook.save()
    lab.forget_kernels()
    notebook.page.goto("about:blank")
    notebook = lab.open(browser_tab, "saved.ipynb")
    wait_for_players(notebook)
    assert slider(notebook, "l1").input_value() == last
    before = picture(notebook)
    slider(notebook, "l1").focus()
    notebook.page.keyboard.press("Home")
    notebook.page.wait_for_function(COMPUTED)
    assert changed_pixels(before, picture(notebook)) > 300
    quiet(browser_tab, lab)


def test_without_anywidget_it_is_a_page_in_a_frame(lab: Lab, browser_tab: BrowserTab) -> None:
    lab.write("frame.ipynb", "import sys\nsys.modules['anywidget'] = None", SHOWN, "type(widget).__name__")
    notebook = lab.open(browser_tab, "frame.ipynb")
    notebook.run(0)
    notebook.run(1)
    assert printed_text(notebook, 2) == "'FramedAnimation'"
    frame = notebook.page.frame_locator("iframe[title='animation of two_r']")
    frame.locator(".lgp-canvas").wait_for()
    frame.get_by_role("slider", name="l1", exact=True).focus()
    inside = next(f for f in notebook.page.frames if f.url == "about:srcdoc")
    inside.wait_for_function("() => lagrangianPlayers.player?.drawn")
    inside.wait_for_function(COMPUTED)
    # someone else's notebook is not trusted: the picture behind the frame remains
    notebook.save()
    file = lab.folder / "notebooks" / "frame.ipynb"
    file.with_name("sent.ipynb").write_text(
        file.read_text(encoding="utf-8").replace("sys.modules", "sys . modules"), encoding="utf-8"
    )
    notebook = lab.open(browser_tab, "sent.ipynb")
    notebook.page.get_by_alt_text("animation of two_r").wait_for()
    assert notebook.page.locator(".jp-OutputArea iframe").count() == 0
    quiet(browser_tab, lab)


def test_a_name_runs_nothing(lab: Lab, browser_tab: BrowserTab) -> None:
    name = '</script><img src=x onerror="document.title=1"> "&'
    code = f"import lagrangian as lg\nmotion = lg.simulate('pendulum', 1)\nmotion.name = {name!r}\nmotion.animate()"
    lab.write("name.ipynb", code)
    notebook = lab.open(browser_tab, "name.ipynb")
    notebook.run(0)
    notebook.page.wait_for_function(DRAWN, arg=1)
    assert notebook.page.title() != "1"
    assert notebook.page.locator(".lagrangian-notebook img").count() == 0
    quiet(browser_tab, lab)
