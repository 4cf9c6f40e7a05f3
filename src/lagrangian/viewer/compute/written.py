"""How values of sliders are written back: what the page needs to know for a fragment of TOML, a command, and lines of Python."""

from __future__ import annotations

from typing import Any

from lagrangian.model.configuration import Partial
from lagrangian.model.expression import parameters
from lagrangian.model.expression.written import Written
from lagrangian.model.mechanism import Mechanism
from lagrangian.motion.motion import Motion
from lagrangian.viewer.compute.asked import Asked
from lagrangian.viewer.compute.described import Described, described

NOWHERE = 'This mechanism is not in a file: save it first, lg.save(mechanism, "m.toml"), and load it from there.'


def written(motion: Motion) -> dict[str, Any]:
    """What the run was asked for.

    `library` is the mechanism's name in the library, `file` that of its file, and `set` are the parameters that are others there.
    `follows` says whether its start, as it is written, follows its parameters, so that no other need be written with them.
    `words` and `arguments` are the rest of the run, for a command and for Python; `missing` is what Python leaves open.
    `unwritten` says why there is no text of a form, by the forms.
    """
    model = motion.model("a page that computes needs")
    found, asked = described(model), Asked(motion, model)
    place, nowhere = found or Described(), [] if found else [NOWHERE]
    return {
        "library": place.library,
        "file": place.file,
        "set": place.values,
        "named": list(model.parameters),
        "follows": not model.equations or _follows(model),
        "words": asked.words,
        "arguments": asked.arguments,
        "missing": asked.missing,
        "unwritten": {"command": " ".join([*nowhere, *asked.lacking]), "python": " ".join(nowhere)},
    }


def _follows(model: Mechanism) -> bool:
    """Whether the start is written with the parameters, or leaves coordinates to be found."""
    q = model.initial.q
    return q is None or isinstance(q, Partial) or any(isinstance(x, Written) and parameters(x.scalar) for x in q)
