"""The language that docs/howto/write_an_export_target.md adds, run by Node where it is installed."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

import lagrangian as lg
from lagrangian.exports.reference_values import routine_inputs, sample_states
from lagrangian.functions.catalogue import package
from tests.exports.reference import expected_results, relative_error

SNIPPET = Path(__file__).parents[2] / "docs" / "snippets" / "howto" / "write_an_export_target.py"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_a_language_of_ones_own_gives_what_the_kernels_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(SNIPPET))
    m = lg.library("two_r")
    names = ["inverse_dynamics", "forward_dynamics", "step"]
    source = str(lg.export(m, "javascript", functions=names).files["two_r.js"])
    generated = package(m, names)
    dyn = lg.compile(m)
    for state in sample_states(m, 2):
        for routine in generated.routines:
            inputs = routine_inputs(routine, state)
            passed = [json.dumps(inputs[x.name]) for x in routine.inputs]
            outputs = [f"o{k}" for k in range(len(routine.outputs))]
            text = source + "".join(
                f"const {o} = new Float64Array({x.size});\n" for o, x in zip(outputs, routine.outputs, strict=True)
            )
            text += f"{routine.name}({', '.join([*passed, *outputs, 'constants'])});\n"
            text += f"console.log(JSON.stringify([{', '.join(f'...{o}' for o in outputs)}]));\n"
            printed = subprocess.run(["node", "-"], input=text, capture_output=True, text=True, check=True).stdout
            assert relative_error(json.loads(printed), expected_results(dyn, routine.name, inputs)) < 1e-12
