"""The worker of a page, run by node: what a browser would compute, and every call of compiled code with what it was given."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lagrangian.page_motion import PageModule, worker_script

NODE = shutil.which("node")

_HARNESS = """
const fs = require("fs");
const given = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const made = new Function(given.script + "\\nreturn { Program, Run, Results, env, ROW };")();
const bytes = Buffer.from(given.wasm, "base64");
const text = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
const NAMES = ["s", "c", "y", "u", "work", "kinds"];
const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: made.env });
const functions = { ...instance.exports };
const program = new made.Program(functions, given.plan), run = new made.Run(program), results = new made.Results(program);
const copies = () => Object.fromEntries(NAMES.map((name) => [name, text(program[name])]));
let calls = [];
if (given.calls)
  functions.integrate = (...pointers) => {
    const before = copies(), status = instance.exports.integrate(...pointers);
    const after = { ...copies(), rows: text(program.rows) };
    calls.push({ before, after, numbers: text(program.numbers), status: Number(status) });
    return status;
  };
const answers = given.inputs.map((values) => {
  calls = [];
  const ended = run.go(values), found = results.of(Number(program.c[made.ROW]), run.inputs, true), n = program.n;
  const states = program.rows.slice(0, found.t.length * n);
  const arrays = Object.fromEntries(["t", "poses", "values", "arrows"].map((name) => [name, text(found[name])]));
  return { ended, events: run.events, ...arrays, states: text(states), calls };
});
fs.writeFileSync(process.argv[3], JSON.stringify(answers));
"""


class Answer:
    """A motion as the worker computed it."""

    def __init__(self, plan: dict[str, Any], given: dict[str, Any]) -> None:
        self.ended, self.events, self.calls = given["ended"], given["events"], given["calls"]
        n = plan["nq"] + plan["nv"]
        self.t = reals(given["t"])
        self.states = reals(given["states"]).reshape(len(self.t), n)
        self.q, self.qd = self.states[:, : plan["nq"]], self.states[:, plan["nq"] :]
        self.poses = reals(given["poses"], np.float32).reshape(len(self.t), plan["frames"], 7)
        values = reals(given["values"]).reshape(len(plan["series"]), len(self.t))
        self.values = {(x["group"], x["name"]): row for x, row in zip(plan["series"], values, strict=True)}
        arrows = reals(given["arrows"], np.float32).reshape(len(self.t), len(plan["arrows"]), 6)
        self.arrows = {x["name"]: arrows[:, k] for k, x in enumerate(plan["arrows"])}


def reals(text: str, kind: Any = np.float64) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=kind).copy()


def run(made: PageModule, folder: Path, *changes: dict[str, float], calls: bool = False) -> list[Answer]:
    """The motions that a page shows for other values of some inputs, by their labels."""
    if NODE is None:
        pytest.skip("no node here")
    inputs = made.plan["inputs"]
    for change in changes:
        assert set(change) <= {x["label"] for x in inputs}
    rows = [[change.get(x["label"], x["value"]) for x in inputs] for change in changes]
    harness, given, found = folder / "harness.cjs", folder / "given.json", folder / "found.json"
    harness.write_text(_HARNESS)
    wasm = base64.b64encode(made.wasm).decode()
    given.write_text(json.dumps({"script": worker_script(), "wasm": wasm, "plan": made.plan, "inputs": rows, "calls": calls}))
    done = subprocess.run([NODE, str(harness), str(given), str(found)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [Answer(made.plan, answer) for answer in json.loads(found.read_text())]
