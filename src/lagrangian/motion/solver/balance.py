"""The energy balance of steps that were made, and the drift of their constraints, as compiled code: estimated at few places.

    i64 balance(ptr s, ptr c, ptr steps, ptr dense, ptr u, ptr work, ptr totals)

The work is found by Gauss's quadrature of the power over every step; `totals` goes from one call to the next, so that a run of
many segments is one balance.
"""

from __future__ import annotations

import math

import numpy as np

from lagrangian.kernels.llvm.ir import INTEGER, Array, FunctionBuilder, Operand
from lagrangian.motion.integrators.method import Method, Module
from lagrangian.motion.quadrature import running_integrals
from lagrangian.motion.solver.interpolant import StoredSteps
from lagrangian.motion.solver.places import BALANCE_ARGUMENTS, END, Memory, SolverWorkspace
from lagrangian.motion.system import balance as terms

# in every step: quadrature to degree 11, beyond the integrators' order, so that the estimate shows their error and not its own
PLACES = 6
# places in totals: the work so far, the energy at the beginning, and the largest of each so far (of LOWEST the smallest)
WORK, BEGINNING, OFF, KINETIC, HIGHEST, LOWEST, DONE, DRIFT = range(8)
UNKNOWN = math.nan  # the energy at the beginning, before the first step


def no_totals() -> np.ndarray:
    """`totals` before the first call."""
    return np.array([0.0, UNKNOWN, 0.0, 0.0, -math.inf, math.inf, 0.0, 0.0])


def emit_balance(module: Module, method: Method, workspace: SolverWorkspace) -> None:
    """The steps of one segment, which ends at s[END]; c is as for `replay`."""
    b = module.function("balance", BALANCE_ARGUMENTS, internal=False)
    m = Memory(b, BALANCE_ARGUMENTS, workspace)
    steps = StoredSteps(module, method, b, m)
    places, integrals = running_integrals(PLACES)
    time, state, found = b.local_array(1), b.local_array(module.size), b.local_array(PLACES * terms.TERMS)
    with b.for_range(m.c[0]) as k:
        steps.recall(k)
        start, h = m.clock[0], m.clock[1]
        with b.if_then(m.totals[BEGINNING].differs(m.totals[BEGINNING])):
            b.call("balance_terms", m.clock, m.y, m.u, found)
            m.totals[BEGINNING] = found[terms.KINETIC] + found[terms.POTENTIAL]
            _look(b, m.totals, found, 0.0)
        last = (k + 1).equals(m.c[0])
        following = b.select(last, k, k + 1, INTEGER)
        # an event may have ended a step before its time
        width = b.select(last, m.s[END], m.steps[following * (module.size + 2)]) - start
        for i, place in enumerate(places):
            time[0] = b.fma(width, place, start)
            steps.interpolant.at(width * place / h, state)
            b.call("balance_terms", time, state, m.u, found.offset(i * terms.TERMS))
        power = [found[i * terms.TERMS + terms.POWER] for i in range(PLACES)]
        before = m.totals[WORK]
        for i, row in enumerate(integrals[:-1]):
            _look(
                b,
                m.totals,
                found.offset(i * terms.TERMS),
                b.scaled_combination(before, list(zip(row, power, strict=True)), width),
            )
        m.totals[WORK] = b.scaled_combination(before, list(zip(integrals[-1], power, strict=True)), width)
    b.return_status(0)
    module.add(b)


def _look(b: FunctionBuilder, totals: Array, found: Array, work: Operand) -> None:
    """Take one place into account, until which `work` was done. What is not a number stays so."""
    kinetic, potential = found[terms.KINETIC], found[terms.POTENTIAL]
    off = kinetic + potential - totals[BEGINNING] - work
    for place, x in (
        (OFF, b.absolute(off)),
        (KINETIC, kinetic),
        (HIGHEST, potential),
        (DONE, b.absolute(work)),
        (DRIFT, found[terms.DRIFT]),
    ):
        totals[place] = b.intrinsic("maximum", totals[place], x)
    totals[LOWEST] = b.intrinsic("minimum", totals[LOWEST], potential)
