"""The page for a class: linkages drawn with the mouse alone, in a real browser, against a real server."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.configuration.poses import body_poses
from lagrangian.studio.drawing.drawing import drawing_from_dict
from lagrangian.studio.drawing.motion import pin_path
from lagrangian.studio.drawing.to_toml import drawing_to_toml
from tests.browser.conftest import until
from tests.browser.studios import Served, becomes, start_server, studio
from tests.processes import PATIENCE
from tests.studio.drawings import example

NAME = '<img src=x onerror="pwned=1"><script>pwned=1</script>'


@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with studio(tmp_path_factory.mktemp("class"), "--draw") as server:
        yield server


def drafts(studio_server: Served) -> list[Path]:
    return list(studio_server.folder.with_name(f"{studio_server.folder.name}-state").glob("studio/drafts/[!.]*.json"))


class Board:
    """The page, and a hand with a mouse. Places are in metres."""

    def __init__(self, browser_tab: Any, studio_server: Served) -> None:
        self.browser_tab, self.page, self.folder = browser_tab, browser_tab.page, studio_server.folder
        for draft in drafts(studio_server):  # of the test before
            draft.unlink()
        self.page.goto(studio_server.address)
        self.page.wait_for_selector("html[data-ready]")
        self.page.locator("#new").click()
        assert until(self.page, lambda: self.page.locator("#file").inner_text() == "not saved yet")
        self.box = self.page.locator("#stage").bounding_box()

    def scale(self) -> tuple[float, float, float]:
        """Pixels of the plane's origin, and pixels a metre, as the picture's own transform has them."""
        result = self.page.locator("g.curves").get_attribute("transform")
        x, y, k = (float(v) for v in re.match(r"translate\(([-\d.]+) ([-\d.]+)\) scale\(([-\d.]+)", result).groups())
        return x, y, k

    def at(self, x: float, y: float) -> tuple[float, float]:
        ox, oy, k = self.scale()
        return self.box["x"] + ox + k * x, self.box["y"] + oy - k * y

    def tool(self, name: str) -> None:
        self.page.locator("#tools").get_by_role("radio", name=name).click()

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 12) -> None:
        (ax, ay), (bx, by) = self.at(*start), self.at(*end)
        self.page.mouse.move(ax, ay)
        self.page.mouse.down()
        self.page.mouse.move(bx, by, steps=steps)
        self.page.mouse.up()
        self.page.wait_for_timeout(50)

    def click(self, x: float, y: float) -> None:
        self.page.mouse.click(*self.at(x, y))
        self.page.wait_for_timeout(50)

    def saved_drawing(self) -> dict[str, Any]:
        """The drawing as it is."""
        values: dict[str, Any] = self.page.evaluate("board.drawing")
        return values

    def pin(self, name: str) -> tuple[float, float]:
        return next((p["x"], p["y"]) for p in self.saved_drawing()["pins"] if p["name"] == name)

    def words(self, message: str) -> None:
        assert until(self.page, lambda: message in self.page.locator("#words").inner_text()), self.page.locator(
            "#words"
        ).inner_text()

    def curve(self, pin: str) -> np.ndarray:
        d = self.page.locator(f'path.curve[data-pin="{pin}"]').get_attribute("d")
        return np.array([[float(v) for v in point.split()] for point in d[1:].split("L")])

    def text(self) -> str:
        """The description, as the page shows it."""
        self.page.locator("#tab-toml").click()
        assert until(self.page, lambda: "[initial]" in self.page.locator("#text").inner_text())
        return str(self.page.locator("#text").inner_text())

    def example(self, title: str) -> None:
        self.page.get_by_role("button", name="Examples").click()
        self.page.get_by_role("menuitem", name=re.compile(title)).click()


@pytest.fixture
def board(browser_tab: Any, studio_server: Served) -> Iterator[Board]:
    new_board = Board(browser_tab, studio_server)
    yield new_board
    assert browser_tab.complaints == []
    assert browser_tab.foreign((studio_server.origin.rsplit("/", 1)[0], "data:", "blob:")) == []


def drawn_four_bar(board: Board) -> None:
    """Lengths 1, 0.3, 0.9 and 0.6 m, as the library's: bars snap to round lengths, and loose ends are dropped on each other."""
    board.tool("Bar")
    board.drag((0, 0), (0, 0.3))  # the crank, from one point of the grid to another
    board.drag((0, 0.3), (0.873, 0.523))  # the coupler, about 0.901 m long in no special direction: 0.9 m
    board.drag((1, 0), (1.123, 0.577))  # the rocker, about 0.59 m: 0.6 m
    board.tool("Ground")
    board.click(0, 0)
    board.click(1, 0)
    board.tool("Move")
    board.drag(board.pin("E"), board.pin("C"))


def test_a_four_bar_drawn_with_the_mouse_has_the_coupler_curve_of_the_library(board: Board) -> None:
    board.words("Draw a bar")
    drawn_four_bar(board)
    board.words("One degree of freedom: add a motor to drive it")
    board.tool("Motor")
    board.click(0, 0)
    board.words("One degree of freedom, and a motor drives it.")
    b, c = board.pin("B"), board.pin("C")
    board.tool("Point")
    board.click((b[0] + c[0]) / 2, (b[1] + c[1]) / 2)  # it snaps to the middle of the coupler
    assert until(board.page, lambda: board.page.locator('path.curve[data-pin="P"]').count() == 1)
    coupler_curve = board.curve("P")
    assert len(coupler_curve) == 361
    crank = math.atan2(b[1], b[0])
    np.testing.assert_allclose(coupler_curve, library_curve(crank, 361), atol=1e-6)
    np.testing.assert_allclose(coupler_curve[0], coupler_curve[-1], atol=1e-9)
    # and so does the description, which the server reads
    mechanism = lg.loads(board.text())
    values = {k: float(x) for k, x in mechanism.parameters.items()}
    assert [values[k] for k in ("l_AB", "l_BC", "l_DC", "x_D")] == pytest.approx([0.3, 0.9, 0.6, 1.0], abs=1e-12)
    assert mechanism.gruebler == 0  # one degree of freedom, and its motor
    turn = lg.simulate(mechanism, (0, 2 * math.pi / 6), t_eval=361)
    compiled = lg.compile(mechanism)
    path = np.array([compiled.pose(q, "P")[:2, 3] for q in turn.q])
    np.testing.assert_allclose(path, library_curve(crank, 361), atol=1e-6)


def library_curve(start: float, rows: int) -> np.ndarray:
    """The path of the middle of the coupler of the library's four-bar, over a turn of its crank from this angle."""
    bar = lg.library("four_bar")
    compiled = lg.compile(bar)
    q = lg.assemble(bar, fixed={"theta1": start})
    results = []
    for angle in start + np.linspace(0, 2 * np.pi, rows):
        q = lg.assemble(bar, q, fixed={"theta1": angle})
        results.append(compiled.pose(q, "C")[:2, 3])
    return np.array(results)


def test_a_slider_crank_drawn_with_the_mouse_moves_as_the_formula_says(board: Board) -> None:
    board.tool("Bar")
    board.drag((0, 0), (0, 0.2))
    board.drag((0, 0.2), (0.6, 0))
    board.tool("Ground")
    board.click(0, 0)
    board.tool("Slider")
    board.drag((0.6, 0), (0.9, 0.01))
    board.tool("Motor")
    board.click(0, 0)
    board.words("One degree of freedom, and a motor drives it.")
    board.tool("Point")
    board.click(0.6, 0)  # of a pin it draws the path
    r, l = 0.2, math.hypot(0.2, 0.6)
    angle = math.pi / 2 + np.radians(np.arange(361))
    assert until(board.page, lambda: board.page.locator('path.curve[data-pin="C"]').count() == 1)
    coupler_curve = board.curve("C")
    np.testing.assert_allclose(coupler_curve[:, 0], r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2), atol=1e-6)
    np.testing.assert_allclose(coupler_curve[:, 1], 0, atol=1e-9)


def test_it_plays_and_shows_forces_and_equations(board: Board) -> None:
    board.example("Four-bar")
    board.page.locator("#tab-forces").click()
    board.page.wait_for_selector("#panel-forces .uplot")
    assert "The motor at A needs up to" in board.page.locator("#panel-forces").inner_text()
    assert until(board.page, lambda: board.page.locator("g.forces .newtons").count() >= 3)
    board.page.locator("#play").click()
    before = board.page.locator("#clock").inner_text()
    assert until(board.page, lambda: board.page.locator("#clock").inner_text() != before)
    board.page.locator("#play").click()
    board.page.locator("#rewind").click()
    assert until(board.page, lambda: board.page.locator("#clock").inner_text() == "0.00 s")
    board.page.locator("#tab-equations").click()
    board.page.wait_for_selector("#panel-equations math")
    assert "Mass matrix" in board.page.locator("#panel-equations").inner_text()


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "quick-return", "five-bar", "watt-six-bar"])
def test_the_page_places_pins_where_the_mechanism_has_them(board: Board, name: str) -> None:
    """The page's own solution of the loops, over a whole turn, against a simulation of the description."""
    drawing = {"sliders": [], "motors": [], **example(name)}
    run = "const { motorMotion } = await import('/page/draw/run.js'); const found = motorMotion(drawing)"
    values = board.page.evaluate(
        f"async (drawing) => {{ {run}; return {{ ...found, rows: found.rows.map((x) => [...x]) }} }}", drawing
    )
    assert values["whole"]
    mechanism = lg.loads(drawing_to_toml(drawing_from_dict(drawing)))
    poses = body_poses(mechanism, lg.simulate(mechanism, (0, values["t"][-1]), t_eval=values["t"]).q)
    for k, pin in enumerate(values["names"]):
        path = pin_path(drawing_from_dict(drawing), poses, pin)
        np.testing.assert_allclose([row[2 * k] for row in values["rows"]], path["x"], atol=1e-7)
        np.testing.assert_allclose([row[2 * k + 1] for row in values["rows"]], path["y"], atol=1e-7)


def test_lengths_can_be_typed_and_undone(board: Board) -> None:
    board.example("Four-bar")
    board.page.locator("#panel-part").get_by_role("button", name=re.compile("rocker")).click()
    field = board.page.get_by_label("C to D in m")
    field.fill("0.75")
    field.press("Enter")
    (cx, cy), (dx, dy) = board.pin("C"), board.pin("D")
    assert math.hypot(cx - dx, cy - dy) == pytest.approx(0.75, abs=1e-12)
    assert board.pin("A") == (0, 0)
    (bx, by), (ax, ay) = board.pin("B"), board.pin("A")
    assert math.hypot(bx - ax, by - ay) == pytest.approx(0.3, abs=1e-12)
    field.fill("9")  # no bars can meet so
    field.press("Enter")
    assert "cannot meet" in board.page.locator("#note").inner_text()
    assert math.hypot(board.pin("C")[0] - dx, board.pin("C")[1] - dy) == pytest.approx(0.75, abs=1e-12)
    board.page.locator("#undo").click()
    assert board.pin("C") == (0.8, 0.7)
    board.page.locator("#redo").click()
    assert board.pin("C") == pytest.approx((cx, cy))


def test_what_is_being_typed_stays_when_the_server_answers(board: Board) -> None:
    board.example("Four-bar")
    board.words("a motor drives it")
    board.page.locator("#panel-part").get_by_role("button", name=re.compile("rocker")).click()
    field = board.page.get_by_label("C to D in m")
    waiting: list[Any] = []
    board.page.route("**/api/drawing", lambda route: waiting.append(route))
    field.fill("0.75")
    field.press("Enter")
    assert until(board.page, lambda: len(waiting) == 1)
    assert field.evaluate("field => field === document.activeElement")  # the next value can be typed at once
    field.fill("0.8")
    with board.page.expect_response("**/api/drawing"):
        waiting.pop().continue_()
    board.page.wait_for_timeout(100)
    assert field.input_value() == "0.8"
    board.page.unroute("**/api/drawing")
    field.press("Enter")
    assert math.dist(board.pin("C"), board.pin("D")) == pytest.approx(0.8, abs=1e-12)


def test_dragging_keeps_lengths_and_what_is_erased_is_gone(board: Board) -> None:
    board.example("Four-bar")
    board.words("a motor drives it")
    board.tool("Move")
    board.drag((0, 0.3), (0.25, 0.2))
    b = board.pin("B")
    assert b != (0, 0.3)
    assert math.hypot(*b) == pytest.approx(0.3, abs=1e-12)
    c, d = board.pin("C"), board.pin("D")
    assert math.dist(c, d) == pytest.approx(math.dist((0.8, 0.7), (1, 0)), abs=1e-12)
    board.tool("Erase")
    board.click((c[0] + d[0]) / 2, (c[1] + d[1]) / 2)
    assert [x["name"] for x in board.saved_drawing()["bars"]] == ["crank", "coupler"]
    board.words("Two degrees of freedom, and one motor")
    board.page.keyboard.press("Control+z")
    assert len(board.saved_drawing()["bars"]) == 3


def test_a_linkage_is_saved_and_opened_again(browser_tab: Any, studio_server: Served) -> None:
    board = Board(browser_tab, studio_server)
    board.example("Quick return")
    board.words("a motor drives it")
    before = board.saved_drawing()
    board.page.locator("#save").click()
    board.page.get_by_label("File").fill("quick.toml")
    board.page.get_by_role("button", name="Save", exact=True).last.click()
    assert until(board.page, lambda: (studio_server.folder / "quick.toml").exists())
    assert lg.load(studio_server.folder / "quick.toml").name == "quick-return"
    board.page.locator("#new").click()
    board.words("Draw a bar")
    board.page.locator("#open").click()
    board.page.get_by_label("In this folder").select_option("quick.toml")
    board.page.get_by_role("button", name="Open", exact=True).last.click()
    board.words("a motor drives it")
    after = board.saved_drawing()
    assert {p["name"]: (round(p["x"], 9), round(p["y"], 9), p["ground"], p["trace"]) for p in after["pins"]} == {
        p["name"]: (p["x"], p["y"], p["ground"], p["trace"]) for p in before["pins"]
    }
    assert (after["sliders"], after["motors"]) == (before["sliders"], before["motors"])
    board.page.reload()  # and it is there again when the page is opened again
    board.words("a motor drives it")
    assert browser_tab.complaints == []


def test_hostile_names_are_only_text(board: Board) -> None:
    text = lg.dumps(lg.library("slider_crank")).replace("crank", NAME.replace('"', '\\"'))
    dialogs: list[str] = []
    board.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    board.page.locator("#picker").set_input_files(
        {"name": NAME.replace("/", "") + ".toml", "mimeType": "text/plain", "buffer": text.encode()}
    )
    assert until(board.page, lambda: NAME in board.page.locator("#panel-part").inner_text())
    for tab in ("toml", "forces", "equations"):
        board.page.locator(f"#tab-{tab}").click()
        board.page.wait_for_timeout(300)
    board.page.wait_for_selector("#panel-equations math")
    board.page.locator("#tab-part").click()
    board.page.locator("#panel-part").get_by_role("button", name=re.compile("img")).first.click()
    board.page.locator("#save").click()
    assert dialogs == []
    assert board.page.evaluate("typeof pwned") == "undefined"
    assert board.page.locator("#panel-part img, #panel-part script, #text img").count() == 0
    board.page.keyboard.press("Escape")


def test_fingers_draw_too(chromium: Any, studio_server: Served) -> None:
    for draft in drafts(studio_server):  # of the test before
        draft.unlink()
    context = chromium.new_context(viewport={"width": 400, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    try:
        page.goto(studio_server.address)
        page.wait_for_selector("html[data-ready]")
        page.locator("#new").tap()
        page.get_by_role("radio", name="Bar").tap()
        box = page.locator("#stage").bounding_box()
        touch = context.new_cdp_session(page)
        places = [(box["x"] + 120 + 10 * k, box["y"] + 150 + 5 * k) for k in range(11)]

        def send(kind: str, points: list[tuple[float, float]]) -> None:
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

        send("touchStart", places[:1])
        for place in places[1:]:
            send("touchMove", [place])
        send("touchEnd", [])
        assert until(page, lambda: page.evaluate("board.drawing.bars.length") == 1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    finally:
        context.close()


def test_changes_that_are_not_saved_are_there_when_the_page_is_opened_again(board: Board) -> None:
    board.page.locator("#new").click()
    board.example("Slider-crank")
    board.page.locator("#save").click()
    board.page.get_by_label("File").fill("piston.toml")
    board.page.get_by_role("button", name="Save", exact=True).last.click()
    assert until(board.page, lambda: board.page.locator("#file").inner_text() == "piston.toml")
    board.tool("Reshape")
    board.drag((0.75, 0), (0.85, 0))
    assert board.pin("C") == (0.85, 0)
    board.page.reload()
    board.page.wait_for_selector("html[data-ready]")
    assert "with your unsaved changes" in board.page.locator("#note").inner_text()
    assert board.pin("C") == (0.85, 0)
    board.page.locator("#undo").click()
    assert board.pin("C") == pytest.approx((0.75, 0))


def test_an_unsaved_drawing_is_on_disk_and_there_again_in_another_browser(
    browser_tab: Any, chromium: Any, tmp_path: Path
) -> None:
    """The server is killed, and the next one has another port: what the first browser keeps by itself is of no use there."""
    served = start_server(tmp_path / "class", "--draw")
    try:
        board = Board(browser_tab, served)
        drawn_four_bar(board)
        becomes(board.page, "document.documentElement.dataset.kept === 'draft'")
        expected = board.saved_drawing()
    finally:
        os.killpg(served.process.pid, signal.SIGKILL)
        served.process.wait(PATIENCE)
    assert len(expected["bars"]) == 3
    page = chromium.new_page()
    with studio(tmp_path / "class", "--draw") as again:
        page.goto(again.address)
        becomes(page, "window.board")
        assert page.evaluate("board.drawing") == expected
        # a drawing in a file is kept beside it, and the one without a file is not lost by that
        (tmp_path / "class" / "piston.toml").write_text(drawing_to_toml(drawing_from_dict(example("slider-crank"))))
        page.locator("#open").click()
        page.locator("dialog").get_by_role("button", name="Open", exact=True).click()
        becomes(page, "board.files.path === 'piston.toml'")
        page.evaluate("board.history.change((d) => { d.name = 'changed' })")
        becomes(page, "document.documentElement.dataset.kept === 'draft'")
        page.reload()
        becomes(page, "window.board")
        assert page.evaluate("[board.files.path, board.drawing.name]") == ["piston.toml", "changed"]
        page.locator("#new").click()
        page.get_by_role("button", name="Show the drawing").click()
        becomes(page, "board.files.path === null")
        assert page.evaluate("board.drawing") == expected
    page.close()


def test_what_is_drawn_while_there_is_no_server_is_there_when_one_returns(browser_tab: Any, tmp_path: Path) -> None:
    with socket.socket() as free:  # a port that no other studio chooses by itself meanwhile
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    served = start_server(tmp_path / "class", "--draw", "--port", port)
    try:
        board = Board(browser_tab, served)
    finally:
        os.killpg(served.process.pid, signal.SIGKILL)
        served.process.wait(PATIENCE)
    drawn_four_bar(board)
    becomes(board.page, "document.documentElement.dataset.kept === 'unsent'")
    assert "The server has stopped" in board.page.locator("#note").inner_text()
    expected = board.saved_drawing()
    with studio(tmp_path / "class", "--draw", "--port", port) as again:
        board.page.goto(again.address)
        becomes(board.page, "window.board && document.documentElement.dataset.kept === 'draft'")
        assert board.saved_drawing() == expected
        assert len(drafts(again)) == 1


def test_a_linkage_without_a_motor_moves_by_its_weight(board: Board) -> None:
    board.example("Watt: a straight line")
    board.words("One degree of freedom: add a motor to drive it")
    board.page.locator("#play").click()
    assert until(board.page, lambda: float(board.page.locator("#clock").inner_text().removesuffix(" s") or 0) > 0.1)
    board.page.locator("#play").click()
    straight = board.curve("P")
    near = straight[np.abs(straight[:, 1]) < 0.2]  # Watt's line: about its middle the point hardly leaves x = 0
    assert len(near) > 20
    assert np.abs(near[:, 0]).max() < 2e-3


@pytest.mark.slow
def test_whatever_is_clicked_nothing_breaks(board: Board) -> None:
    """A hand that knows nothing: any tool, any place, undone now and then."""
    board.page.locator("#new").click()
    chance = random.Random(1)
    places = [(x / 4, y / 4) for x in range(5) for y in range(4)]
    for _ in range(40):
        board.page.keyboard.press("Escape")
        board.page.locator("#stage").focus()
        board.page.keyboard.press(chance.choice("bbbbgsspmverv"))
        start, end = chance.sample(places, 2)
        board.drag(start, end if chance.random() < 0.7 else start, steps=3)
        if chance.random() < 0.15:
            board.page.keyboard.press(chance.choice(["Control+z", "Delete", " "]))
    assert board.page.locator("#words").inner_text().endswith(".")


def test_what_takes_long_can_be_stopped(board: Board) -> None:
    board.example("Watt: a straight line")
    board.words("One degree of freedom")
    board.page.locator("#tab-forces").click()
    board.page.wait_for_selector("#panel-forces .uplot")
    held: list[Any] = []  # so that it takes long: what the server tells of it waits
    board.page.route("**/api/jobs/*/events*", lambda route: held.append(route))
    board.page.get_by_label("Seconds in s").fill("60")
    board.page.get_by_label("Seconds in s").press("Enter")
    board.page.locator("#stop").click()
    for route in held:
        route.continue_()
    board.page.unroute("**/api/jobs/*/events*")
    assert until(board.page, lambda: "You stopped the computation" in board.page.locator("#panel-forces").inner_text())
    assert board.page.locator("#busy").is_hidden()
    board.page.locator("#tab-forces").click()
    board.page.wait_for_selector("#panel-forces .uplot")
