"""Every mechanism of the library is computed in a page as `simulate` computes it, also with another value of a slider."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lagrangian as lg
from lagrangian.page_motion import compile_page
from tests.page_motion.node import run

pytestmark = pytest.mark.slow
CHANGED = 3  # sliders that are moved, each by itself


@pytest.mark.parametrize("name", lg.library())
@pytest.mark.filterwarnings("ignore::lagrangian.errors.LagrangianWarning")
def test_a_page_computes_it(name, tmp_path):
    model = lg.library(name)
    motion = lg.simulate(model)
    page = compile_page(motion)
    inputs = [x for x in page.plan["inputs"] if x["kind"] == "parameter"][:CHANGED]
    values = {x["name"]: x["value"] + 0.07 * (x["max"] - x["value"]) for x in inputs}
    answers = run(page, tmp_path, {}, *({name: value} for name, value in values.items()))
    compared = 0
    for answer, item in zip(answers, [None, *({k: x} for k, x in values.items())], strict=True):
        if answer.ended is not None and "singular" in answer.ended["reason"]:
            continue  # which is said, and not computed
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = lg.simulate(model, parameters=item)
        except lg.ArgumentError:  # a start that does not fit these lengths is none in a page either
            assert "do not close" in answer.ended["reason"]
            continue
        assert answer.t[-1] == pytest.approx(expected.last, abs=0.01 * (expected.last - expected.first))
        rows = expected.resample(answer.t)
        assert np.abs(answer.q - rows.q).max() < 2e-5 * (1 + np.abs(rows.q).max())
        compared += 1
    assert compared or name == "parallelogram"
