"""A motion as a WebAssembly module that computes it again for other numbers, and the plan by which a page does so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lagrangian.computing import plan as plans
from lagrangian.computing.controllers import law_of
from lagrangian.computing.inputs import chosen
from lagrangian.computing.subject import subject_of
from lagrangian.computing.text import EXPORTED, ProgramText
from lagrangian.kernels.llvm import jit
from lagrangian.kernels.wasm.module import module
from lagrangian.motion.motion import Motion
from lagrangian.motion.solver.text import effort


@dataclass(frozen=True)
class Computed:
    """`wasm` is the module; `plan` says what its inputs are and where it finds them, as JSON has it: see js/program.js."""

    plan: dict[str, Any]
    wasm: bytes


def computed(motion: Motion, sliders: Iterable[Any] | None = None) -> Computed:
    """Compile a motion for a page, with sliders for the inputs that are named; see `inputs`.

    `sliders` are names ("l1", "link3.mass", "q0.theta1", "qd0.theta1", or the gains "frequency" and "damping" of a controller),
    or (name, least, most). What cannot be computed in a page is a `NotComputable` error, which says why.
    """
    subject = subject_of(motion)
    law = law_of(subject)
    inputs = chosen(subject, law, sliders)
    text = ProgramText(subject, law, inputs)

    def made() -> tuple[dict[str, Any], str, int, tuple[str, ...]]:
        written, numbers = text.written(fma=False)
        return {"numbers": numbers}, written, min(effort(written), 1 if text.long else 2), jit.UNROLLING

    header, wasm = module(text.key, [name for name in EXPORTED if text.has(name)], made)
    return Computed(plans.plan(subject, law, inputs, text, int(header["numbers"])), wasm)
