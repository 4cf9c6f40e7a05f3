"""An error for every mistake in a TOML file, and for whatever else it may hold."""

import contextlib
import re
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toml_mistakes import MISTAKES, PENDULUM

from lagrangian.description.toml import reader as toml
from lagrangian.errors import DescriptionError, LagrangianError
from lagrangian.model.mechanism import Mechanism


def parse(text):
    return toml.read_text(textwrap.dedent(text), "arm.toml")


# -- mistakes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", MISTAKES, ids=[str(i) for i in range(len(MISTAKES))])
def test_mistakes_name_their_place(text):
    kind, message = MISTAKES[text]
    with pytest.raises(kind, match=message) as caught:
        parse(text)
    assert type(caught.value) is kind
    assert str(caught.value).startswith("arm.toml: ")
    assert str(caught.value).count("arm.toml") == 1
    for name in re.findall(r"\[\[\w+\]\] \d+ ('\w+'): ", str(caught.value)):  # said once too
        assert not re.search(rf"(body|joint|loop|spring) {name}: ", str(caught.value))


# -- hostile input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 10_000 + "]" * 10_000,
        "x = " + "{a=" * 10_000 + "1" + "}" * 10_000,
        "body = [" + "[" * 400 + "]" * 400 + "]",
        ".".join("a" * 5000) + " = 1",
        "x." * 49 + "x = 1\nx = 2",
        "[parameters]\n" + ".".join("a" * 5000) + " = 1",
        PENDULUM + "[initial]\ntorque." + ".".join("a" * 5000) + " = 1",
        PENDULUM + "[pose.p]\n" + ".".join("a" * 5000) + " = 1",
        "x = " + "1" * 5000,
        "x = 1 # " + "y" * 200_000,
        "\x00",
        "x = '\x07'",
        "a = 1\na = 2",
        "name = 'x'\n" * 2,
        "'" + "k" * 90_000 + "' = 1",
    ],
)
def test_hostile_documents_end_in_a_short_clear_error(text):
    with pytest.raises(DescriptionError) as caught:
        parse(text)
    assert len(str(caught.value)) < 1000


def test_parameters_of_parameters_do_not_explode():
    lines = ["a0 = 1.0"] + [f"a{i} = 'a{i - 1}*a{i - 1}'" for i in range(1, 64)]
    with pytest.raises(DescriptionError, match="with its parts inserted, it has more than"):
        parse("[parameters]\n" + "\n".join(lines) + PENDULUM)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(LagrangianError):
        assert isinstance(toml.read_text(text), Mechanism)


_words = st.sampled_from(["", "x", "theta", "1/0", "pi", "bob", "ground", "revolute"])


_values = st.recursive(
    st.one_of(st.integers(), st.floats(), st.booleans(), _words),
    lambda sub: st.one_of(
        st.lists(sub, max_size=4),
        st.dictionaries(st.sampled_from(["name", "xx", "theta", "a"]), sub, max_size=3),
    ),
    max_leaves=6,
)


_tables = "[[body]] [[joint]] [dh] [[dh.row]] [[loop]] [[constraint]] [[spring]] [[wall]] [[frame]] [pose] [initial]".split()  # noqa: SIM905


_keys = """
    name mass center inertia shapes effective type parent child xyz rpy quaternion axis pitch friction rotor spring limits
    actuated a b directions coefficients phi stiffness rest damping body q qd t_span torque joint alpha d theta convention
    base tool row point on position normal
""".split()  # noqa: SIM905


def _write(value):
    """A value as TOML text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(_write, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_write(x)}" for k, x in value.items()) + "}"
    return repr(value)


@given(st.sampled_from(_tables), st.dictionaries(st.sampled_from(_keys), _values, max_size=5))
@settings(max_examples=400, deadline=None)
def test_any_value_under_any_key_is_read_or_refused(table, entries):
    text = PENDULUM + table + "\n" + "\n".join(f"{k} = {_write(v)}" for k, v in entries.items())
    message = "<text>: "
    try:
        toml.read_text(text)
    except LagrangianError as error:
        message = str(error)
    assert message.startswith("<text>: ")
