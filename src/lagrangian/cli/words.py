"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re

# what stands in messages, and what it is called here; the longer first
_TABLE = (
    (r"Pass limit=None to", "--limit 0 lets you"),
    (r"show\(full=True\) prints them, eom\.christoffel\(i, j, k\) gives one", "--full prints them"),
    (r"digits=None writes", "--digits 0 writes"),
    (r"say how long: step=1e-3", "say how long: --step 1e-3"),
    (r"limits=False leaves", "--no-limits leaves"),
    (r"limits=False", "--no-limits"),
    (r"saturate=True", "--saturate"),
    (r"; give t_span, such as \(0, 10\)", "; give --time, such as --time 10"),
    (r"\bt_span runs\b", "--time runs"),
    (r"\bt_span is\b", "--time is"),
    (r"\bt_eval is\b", "--rows is"),
    (r"Give frame=\.\.\.:? ", "Give --frame, "),
    (r"Give frame=,? ", "Give --frame, "),
    (r"; or give the driven ones by name, qd0=\{[^}]*\}", "; or give the driven ones by name, --qd0 joint=1.0"),
    (r"lagrangian\.read\(path, mechanism\)", "run it again"),
    (r"lagrangian\.size_actuators", "`lagrangian size`"),
    (r"lagrangian\.simulate\b", "`lagrangian simulate`"),
    (r"lagrangian\.inverse\b(?!_)", "`lagrangian inverse`"),
    (r"\beom\.prove\(\)", "`lagrangian prove`"),
    (r"(?<![-\w])qd0(?= (has|is|breaks|does)\b)", "--qd0"),
    (r"(?<![-\w])q0(?= (has|is|does)\b)", "--q0"),
    (r"(?<=; )or catalogue=False for the demand alone", "or another --catalogue"),
)
_FOUND = [(re.compile(pattern), said) for pattern, said in _TABLE]


def here(text: str) -> str:
    """A message of the library, as the command line has it."""
    for pattern, said in _FOUND:
        text = pattern.sub(said, text)
    return text
