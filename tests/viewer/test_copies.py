"""What a page copies, run by a shell or by Python, is the motion that it shows; else it is not offered, and the page says why."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.page_motion import compile_page, simulate_again
from lagrangian.viewer.reproduce import reproduction_data
from tests.cli.conftest import Run, run  # noqa: F401 a fixture
from tests.page_motion.motions import mechanism

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node here")

_HARNESS = """
const { script, plan, about, values, first } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const Reproduction = new Function(script + "\\nreturn Reproduction;")();
const reproduction = new Reproduction(plan, about, () => values, () => ({ t: [plan.t0], values: first }));
const found = {};
for (const form of ["toml", "command", "python"]) found[form] = { why: reproduction.why(form) || "", text: reproduction[form] };
console.log(JSON.stringify(found));
"""


def copies(motion: lg.Motion, sliders: list[str], change: dict[str, float] | None = None) -> dict[str, dict[str, str]]:
    """What the buttons give, and why they do not, when sliders have other values."""
    plan = compile_page(motion, sliders).plan
    values = {x["label"]: x["value"] for x in plan["inputs"]} | (change or {})
    shown = simulate_again(motion, plan["inputs"], values)
    model = motion.model()
    first = {("coordinates", name): x for name, x in zip(model.coordinate_names, shown.q[0].tolist(), strict=True)}
    first |= {("speeds", name): x for name, x in zip(model.speed_names, shown.qd[0].tolist(), strict=True)}
    text = {
        "script": (files("lagrangian.viewer") / "compute/js/reproduce.js").read_text(encoding="utf-8"),
        "plan": plan,
        "about": reproduction_data(motion),
        "values": list(values.values()),
        "first": [first.get((x["group"], x["name"]), 0.0) for x in plan["series"]],
    }
    assert NODE is not None
    done = subprocess.run([NODE, "-e", _HARNESS], input=json.dumps(text), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    loaded: dict[str, dict[str, str]] = json.loads(done.stdout)
    return loaded


def run_again(text: str) -> lg.Motion:
    known: dict[str, Any] = {}
    exec(text, known)
    result: lg.Motion = known["motion"]
    return result


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "parameters": ("two_r", {"parameters": {"m1": 5.0, "I2": 2.0}}),
    "a fixed step": ("two_r", {"method": "rk4", "step": 0.02, "limits": False}),
    "what drives it": (
        "two_r",
        {
            "torque": {"theta1": "20*sin(3*t) - m2*qd_theta1"},
            "wrenches": {"tip": (0, 0, 0, 0, "-5*cos(t)", 2.5)},
            "events": ["-theta1 - 0.9"],
            "rtol": 1e-6,
            "q0": [-1.0, 0.4],
            "qd0": [0.3, -0.2],
        },
    ),
    "a dead centre": ("four_bar", {"events": ["dead centre"]}),
    "stabilisation": ("four_bar", {"stabilisation": "baumgarte", "alpha": 2.0, "beta": 3.0, "parameters": {"m2": 3.0}}),
}
CHANGES = {"two_r": {"l1": 0.8}, "four_bar": {"l1": 0.32}}


@pytest.mark.parametrize("name", CASES)
def test_all_of_a_run_is_copied(name: str, run: Run) -> None:  # noqa: F811
    which, arguments = CASES[name]
    model, change = mechanism(which), CHANGES[which]
    texts = copies(lg.simulate(model, 1.0, **arguments), ["l1"], change)
    truth = lg.simulate(model, 1.0, **(arguments | {"parameters": arguments.get("parameters", {}) | change}))
    motion = run_again(texts["python"]["text"])
    assert motion.last == pytest.approx(truth.last, abs=1e-9)
    assert motion.q[-1] == pytest.approx(truth.q[-1], abs=1e-9)
    assert texts["command"]["why"] == texts["python"]["why"] == ""
    done = run(*shlex.split(texts["command"]["text"])[1:], "--json").json
    assert done["q_end"] == pytest.approx(truth.q[-1], abs=1e-9)
    fragment = tomllib.loads(texts["toml"]["text"])
    assert fragment["parameters"] == arguments.get("parameters", {}) | change
    assert ("q" in fragment.get("initial", {})) == ("q0" in arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"events": [lg.Event("theta2", "record", "rising", "straight")]},
            "The command line has no option for the event 'straight'; --event only stops a run.",
        ),
        ({"max_step": 0.1}, "The command line has no option for max_step, which is 0.1 here."),
        ({"restitution": 0.5}, "The command line has no option for restitution, which is 0.5 here."),
    ],
)
def test_what_a_command_cannot_say_is_not_copied_as_one(arguments: dict[str, Any], said: str) -> None:
    model = mechanism("two_r")
    first = lg.simulate(model, 1.0, **arguments)
    texts = copies(first, ["l1"])
    assert re.fullmatch(said, texts["command"]["why"])
    assert texts["python"]["why"] == ""
    motion = run_again(texts["python"]["text"])
    assert np.array_equal(motion.q, first.q)
    assert [(e.name, e.t) for e in motion.events] == [(e.name, e.t) for e in first.events]


def test_a_path_is_no_name_of_a_command() -> None:
    texts = copies(lg.simulate(mechanism("two_r"), 0.5), ["l1", "link1.mass"], {"link1.mass": 9.0})
    assert "link1.mass has none" in texts["command"]["why"]
    assert 'with_parameters({"link1.mass": 9})' in texts["python"]["text"]


def test_a_mechanism_that_is_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = mechanism("two_r")
    joint = own.joints[0]
    other = own.replace(joints=(replace(joint, friction=lg.Friction(viscous=3.0)), own.joints[1]))
    monkeypatch.chdir(tmp_path)
    for model in (other, lg.loads(lg.dumps(own)), own.with_payload("tip", 2.0)):
        texts = copies(lg.simulate(model, 0.5), ["l1"])
        for form in ("command", "python"):
            assert 'save it first, lg.save(mechanism, "m.toml")' in texts[form]["why"]
        assert texts["toml"]["why"] == ""
        lg.save(model, "m.toml")
        saved = copies(lg.simulate("m.toml", 0.5), ["l1"], {"l1": 0.7})
        assert saved["python"]["why"] == saved["command"]["why"] == ""
        assert saved["command"]["text"] == "lagrangian simulate m.toml --set l1=0.7 -t 0.5\n"
        expected = lg.simulate(model, 0.5, parameters={"l1": 0.7})
        assert run_again(saved["python"]["text"]).q[-1] == pytest.approx(expected.q[-1], abs=1e-9)
    Path("two_r.toml").write_text(lg.dumps(other), encoding="utf-8")
    assert reproduction_data(lg.simulate("two_r.toml", 0.5))["file"] == "two_r.toml"  # not the library's
