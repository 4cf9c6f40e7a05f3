"""What `animate` gives in a notebook, without a browser: the widget's values, and what is shown where there are no widgets."""

from __future__ import annotations

import copy
import html
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.errors import ArgumentError
from lagrangian.motion.motion import Motion

pytest.importorskip("anywidget")
IPython = pytest.importorskip("IPython")


@pytest.fixture(autouse=True)
def kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a notebook: IPython has a kernel."""
    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def motion() -> Motion:
    return lg.simulate(lg.library("two_r"), 0.5)


@pytest.fixture
def widget(motion: Motion) -> Any:
    return motion.animate(sliders=["l1", ("m2", 10, 20), "q0.theta1"])


def test_in_a_notebook_nothing_is_written(motion: Motion, tmp_path: Path) -> None:
    assert not isinstance(motion.animate(), Path)
    assert list(tmp_path.iterdir()) == []
    assert motion.animate("run.html") == Path("run.html")
    assert (tmp_path / "run.html").exists()


@pytest.mark.parametrize("shell", [None, SimpleNamespace()])
def test_elsewhere_it_is_a_file(motion: Motion, monkeypatch: pytest.MonkeyPatch, shell: Any) -> None:
    """Neither in a script nor in IPython's terminal there is a kernel."""
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    assert motion.animate() == Path("two_r.html")


def test_values_are_read_and_set_by_name(widget: Any) -> None:
    assert widget.inputs == {"l1": 1.0, "m2": 12.456, "q0.theta1": pytest.approx(-np.pi / 2)}
    seen: list[dict[str, float]] = []
    widget.observe(lambda change: seen.append(dict(change["new"])), "inputs")
    widget.inputs = {"m2": 15}
    widget.inputs["l1"] = 1.25
    widget.inputs.update({"q0.theta1": -0.5})
    assert widget.inputs == {"l1": 1.25, "m2": 15.0, "q0.theta1": -0.5}
    assert seen[-1] == widget.inputs
    assert [x["m2"] for x in seen] == [15.0] * 3
    assert type(copy.deepcopy(widget.inputs)) is dict


def test_a_slider_that_is_moved_changes_them(widget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the message of a front end does; nothing is sent back that it does not know."""
    sent: list[Any] = []
    monkeypatch.setattr(widget.comm, "send", lambda data, **more: sent.append(data))
    widget.set_state({"inputs": {"l1": 1, "m2": 11.5, "q0.theta1": -0.25}})
    assert widget.inputs == {"l1": 1.0, "m2": 11.5, "q0.theta1": -0.25}
    assert [x["method"] for x in sent] == ["echo_update"]


def test_the_motion_with_these_values_is_simulated(motion: Motion, widget: Any) -> None:
    assert widget.motion() is motion
    widget.inputs = {"l1": 0.8, "m2": 20, "q0.theta1": -0.4}
    found = widget.motion()
    start = [-0.4, float(motion.q[0, 1])]
    expected = lg.simulate("two_r", 0.5, q0=start, parameters={"l1": 0.8, "m2": 20})
    assert found.t == pytest.approx(expected.t)
    assert found.q == pytest.approx(expected.q, abs=1e-9)
    assert found.qd == pytest.approx(expected.qd, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"l3": 1.0}, r"there is no slider 'l3'.*l1, m2, q0\.theta1; animate\(sliders=\['l3'\]\)"),
        ({"m2": 9.0}, r"'m2' is 9, but its slider ranges from 10 to 20; animate\(sliders=\[\('m2', lower, upper\)\]\)"),
        ({"l1": "long"}, "'l1' is 'long'; a finite number is needed"),
        ({"l1": float("nan")}, "'l1' is nan; a finite number is needed"),
    ],
)
def test_values_that_cannot_be_are_told(widget: Any, given: dict[str, Any], said: str) -> None:
    before = dict(widget.inputs)
    with pytest.raises(ArgumentError, match=said):
        widget.inputs = given
    assert widget.inputs == before


def test_a_motion_that_a_page_cannot_compute_has_no_values() -> None:
    found = lg.simulate("pendulum", 0.2, torque=lambda t, q, qd: [0.0])
    widget = found.animate()
    assert widget.inputs == {}
    assert widget.motion() is found
    assert "because the torques come from Python" in widget._markup
    assert found.animate(sliders=False).inputs == {}


def test_what_cannot_be_animated_is_said_as_elsewhere(motion: Motion) -> None:
    with pytest.raises(ArgumentError, match="speed is 0"):
        motion.animate(speed=0)
    with pytest.raises(ArgumentError, match="there is no frame or body 'tipp'"):
        motion.animate(trace="tipp")


def test_where_there_are_no_widgets_the_page_is_in_a_frame(motion: Motion, widget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert "motion.animate(path)" in data["text/plain"]
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "lagrangian.viewer.notebook_widget")
    framed = motion.animate(speed=0.5)
    assert "motion.animate(path)" in repr(framed)
    for text in (data["text/html"], framed._repr_html_()):
        inside = html.unescape(text.partition('srcdoc="')[2].partition('"></iframe>')[0])
        assert inside.startswith("<!DOCTYPE html>")
        assert '"lagrangian-player"' in inside
        assert 'src="data:image/png;base64,' in text  # for notebooks that do not trust frames


def test_widgets_of_one_notebook_share_one_stage() -> None:
    from lagrangian.viewer.notebook_widget import notebook_script

    script = notebook_script()
    assert script.count("new Stage()") == 1
    assert script.startswith('const shared = (globalThis["lagrangian ')
    assert script.rstrip().endswith("export default { render };")
