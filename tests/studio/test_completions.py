"""What is offered while somebody types: the `|` is the cursor."""

from __future__ import annotations

from typing import Any

import pytest

from lagrangian.description.toml.reader import ELEMENTS
from lagrangian.errors import LagrangianError
from lagrangian.model import joints, loops
from lagrangian.model.expression import FUNCTIONS
from lagrangian.studio.completions import completions, table_keys
from tests.studio.conftest import Inside, text

ARM = text("two_r")
MERGED = ("", "parameters", "pose", "dh.row", "constraint", "spring")  # of some, each kind has entries of its own


def completions_by_label(value: str) -> dict[str, dict[str, Any]]:
    at = value.index("|")
    return {x["label"]: x for x in completions(value.replace("|", "", 1), "toml", at)}


def text_with_completion(value: str, label: str) -> str:
    """The text after an offer is taken."""
    offer, plain = completions_by_label(value)[label], value.replace("|", "", 1)
    return plain[: offer["from"]] + offer["apply"] + plain[offer["to"] :]


def test_tables_are_offered_at_the_beginning_of_a_line() -> None:
    assert {f"[[{x}]]" for x in ELEMENTS} <= set(completions_by_label("[[|"))
    assert text_with_completion("[[jo|]]", "[[joint]]") == "[[joint]]\n"
    assert "[initial]" not in completions_by_label(f"{ARM}\n[|")  # there is one
    assert "[[body]]" in completions_by_label(f"{ARM}\n|")


def test_entries_that_are_not_there_yet() -> None:
    actual = completions_by_label('[[joint]]\nname = "a"\n|\nparent = "b"')
    assert {"type", "child", "limits", "xyz"} <= set(actual)
    assert not {"name", "parent", "mass"} & set(actual)
    assert text_with_completion("[[body]]\nma|", "mass") == "[[body]]\nmass = 1.0"


def test_words_that_an_entry_may_be() -> None:
    assert set(completions_by_label('[[joint]]\ntype = "|"')) == set(joints.TYPES)
    assert set(completions_by_label("[[loop]]\ntype = |")) == set(loops.TYPES)
    assert text_with_completion('[[joint]]\ntype = "re|"', "revolute") == '[[joint]]\ntype = "revolute"'
    assert text_with_completion("[[joint]]\ntype = re|", "revolute") == '[[joint]]\ntype = "revolute"'
    assert "-y" in completions_by_label('[[joint]]\naxis = "|"')


def test_names_of_parts() -> None:
    assert list(completions_by_label(f"{ARM}\n[[frame]]\nbody = |")) == ["ground", "link1", "link2"]
    assert list(completions_by_label(f'{ARM}\n[[body]]\nname = "new"\n[[joint]]\nchild = "|"')) == [
        "new"
    ]  # the others have their joint
    assert list(completions_by_label(f"{ARM}\n[[payload]]\nframe = |")) == ["tip"]


def test_parameters_and_coordinates_are_offered_in_expressions() -> None:
    actual = completions_by_label(f'{ARM}\n[[frame]]\nxyz = ["l1 + |", 0, 0]')
    assert {"l1", "m2", "pi", *FUNCTIONS} <= set(actual)
    assert text_with_completion(f"{ARM}\n[[frame]]\nxyz = [l|", "l1").endswith('xyz = ["l1"')
    assert {"qd_theta1", "theta2"} <= set(completions_by_label(f'{ARM}\n[initial]\ntorque = {{ theta1 = "2*|" }}'))
    assert list(completions_by_label(f"{ARM}\n[initial]\ntorque = {{ |")) == ["theta1", "theta2"]


def test_inner_tables() -> None:
    assert set(completions_by_label("[[joint]]\nlimits = { lo|")) == {"lower", "upper", "speed", "effort"}
    assert "box" in completions_by_label('[[body]]\nshapes = [{ shape = "|')
    assert "radius" in completions_by_label('[[body]]\nshapes = [{ shape = "disc", |')


def test_nothing_in_comments_and_texts_and_other_formats() -> None:
    assert not completions_by_label("# a comment |")
    assert not completions_by_label('name = "x|"')
    assert completions("<robot>", "urdf", 3) == []
    assert completions("x", "toml", None) == []


@pytest.mark.parametrize("table", [x for x in table_keys() if x not in MERGED])
def test_what_is_offered_is_known_to_the_reader(table: str) -> None:
    """No offered entry is refused as unknown."""
    import lagrangian as lg

    header = f"[[{table}]]" if table in ELEMENTS else f"[{table}]"
    base = 'name = "x"\n' if table in ELEMENTS else ""
    for key in table_keys()[table]:
        entry = f"{key} = []\n" if key != "name" else ""
        with pytest.raises(LagrangianError) as refused:
            lg.loads(f"{ARM if table != 'initial' else ARM.partition('[initial]')[0]}\n{header}\n{base}{entry}unknown_key = 1\n")
        assert repr(key) not in str(refused.value).partition("Known")[0] or "no entry" not in str(refused.value)


def test_over_the_wire(inside: Inside) -> None:
    text = "# 😀\n[[joint]]\nty"
    response = inside.post("/api/complete", {"text": text, "offset": len(text) + 1})
    assert next(x for x in response if x["label"] == "type")["from"] == len(text) - 1  # the letter counts twice in JavaScript
