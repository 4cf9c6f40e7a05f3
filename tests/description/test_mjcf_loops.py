"""Loops of MJCF: constraints of equality."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.description.mjcf_models import (  # noqa: F401
    BALL,
    check,
    model,
    no_log,
    quiet,
)

from lagrangian.description.mjcf import reader as mjcf
from lagrangian.errors import ReaderWarning

TWO = (
    f'<body name="a" pos="0 0 1" euler="10 20 30"><joint axis="0 1 0" ref="20"/>{BALL}'
    f'<site name="p" pos=".1 .2 .3" euler="5 6 7"/>'
    f'<body name="b" pos=".5 0 0"><joint axis="0 1 0"/>{BALL}</body></body>'
    f'<body name="c" pos="1 1 0" quat="1 2 3 4"><freejoint/>{BALL}<site name="r" pos="0 0 .4"/></body>'
)


def test_connect_is_a_ball_loop():
    text = model(
        TWO,
        after='<equality><connect body1="b" anchor="0 0 .3"/><connect name="k" body1="b" body2="c" anchor="1 2 3"/></equality>',
    )
    m, ref = check(text)
    assert [(x.type, x.a, x.b) for x in m.loops] == [("ball", "b", "ground"), ("ball", "b", "c")]
    assert m.loops[1].name == "k"
    assert m.loops[0].name
    for i, loop in enumerate(m.loops):
        np.testing.assert_allclose(loop.a_placement.position, ref.eq_data[i, :3], atol=1e-12)
        np.testing.assert_allclose(loop.b_placement.position, ref.eq_data[i, 3:6], atol=1e-12)
    assert m.equation_count == 6


@pytest.mark.parametrize(
    "how",
    [
        "",
        'relpose="0 0 0 0 0 0 0"',
        'relpose="1 2 3 1 2 0 -1"',
        'anchor=".1 .2 .3"',
        'anchor=".1 .2 .3" relpose="1 2 3 1 2 0 -1"',
    ],
)
@pytest.mark.parametrize("other", ["", 'body2="c"'])
def test_weld_is_a_fixed_loop(how, other):
    text = model(TWO, after=f'<equality><weld body1="b" {other} {how}/></equality>')
    m, ref = check(text)
    (loop,) = m.loops
    assert (loop.type, loop.a, loop.b) == ("fixed", "b", "c" if other else "ground")
    np.testing.assert_allclose(np.array(loop.b_placement.position, float), ref.eq_data[0, :3], atol=1e-12)
    np.testing.assert_allclose(np.array(loop.a_placement.position, float), ref.eq_data[0, 3:6], atol=1e-12)
    w, *xyz = ref.eq_data[0, 6:10]
    np.testing.assert_allclose(np.array(loop.a_placement.rotation, float), Rotation.from_quat([*xyz, w]).as_matrix(), atol=1e-12)
    assert loop.b_placement.rotation == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_loops_between_sites():
    text = model(TWO, after='<equality><weld site1="p" site2="r"/><connect site1="r" site2="p"/></equality>')
    m, _ = check(text)
    frames = {f.name: f for f in m.frames}
    assert [(x.type, x.a, x.b) for x in m.loops] == [("fixed", "a", "c"), ("ball", "c", "a")]
    assert m.loops[0].a_placement == frames["p"].placement
    assert m.loops[0].b_placement == frames["r"].placement


def test_welded_without_torque_is_a_ball():
    m = quiet(model(TWO, after='<equality><weld body1="b" torquescale="0"/></equality>'))
    assert m.loops[0].type == "ball"


def test_inactive_and_other_equalities_are_noted():
    defaults = '<default><equality active="false"/></default>'
    m = quiet(model(TWO, defaults, '<equality><connect body1="b" anchor="0 0 0"/></equality>'))
    assert not m.loops
    assert any("not active" in note for note in m.notes)
    with pytest.warns(ReaderWarning, match="equality.*flex.*cloth") as caught:
        m = mjcf.read_text(model(TWO, after='<equality><flex name="cloth" flex="f"/></equality>'))
    assert not m.loops
    assert caught[0].filename == __file__
