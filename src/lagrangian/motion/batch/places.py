"""Where a batch of motions keeps its numbers: the rows of a lane, the arguments of `go`, and the places in their arrays.

A lane holds one motion. Its real numbers are those of a single run (`solver.places`), and a few more; arrays of lanes hold entry
i of all lanes side by side.
"""

from __future__ import annotations

from lagrangian.motion.solver import places

# places in s of a lane, behind those of a single run: its counters, the next time at which a row is wanted, the time that the
# step at hand reaches, how many steps may be tried, and what is to be done with it
AGAIN, ACCEPTED, REJECTED, STIFF, ACTIVE, WATCH, NEXT_ROW, UNTIL, MOST, WHAT = range(places.REALS, places.REALS + 10)
REALS = places.REALS + 10
# counters that a lane keeps as real numbers, and their places in c of a single run
COUNTED = {
    AGAIN: places.AGAIN,
    ACCEPTED: places.ACCEPTED,
    REJECTED: places.REJECTED,
    STIFF: places.STIFF,
    WATCH: places.WATCH,
}

# WHAT is to be done: nothing, or to end the motion with the status of that number, or to make the step ALONE
NOTHING, ALONE = -1, -2

# places in flags: the lanes, as bits, that rows are wanted of, that something is to be done with
ROWS_OF, CALLED = range(2)
FLAGS = 2

# places in c
BUDGET, COUNT, TAKEN, WORKING, ROWS, FOUND, ROOM, STEPS, LIMIT, VARIES = range(10)
COUNTERS = 10

# what is known of a motion that has left its lane: places in codes
STATUS, WHICH, TRIED_WELL, TRIED_BADLY = range(4)
CODES = 4

ATTEMPT_ARGUMENTS = ["s", "y", "u", "work", "kinds", "flags", "c", "grid", "rows", "row", "motion", "found"]
GO_ARGUMENTS = [
    *ATTEMPT_ARGUMENTS,
    # of all motions: where each begins, its inputs, where it ended, when (with the independence of its constraints), and how
    *("starts", "inputs", "ends", "times", "codes"),
    # numbers of the description: of each motion, where they vary; of each lane with what is prepared from them; of all lanes side
    # by side; and the function that prepares
    *("numbers", "tables", "table", "prepare"),
    # kinetic and potential energy of each motion, at its beginning and at its end
    "energies",
    # the extremes of each motion, where they are wanted; `found` has those so far of the motions in lanes
    "extremes",
    # a single run: its arrays as `integrate` has them, what they are before it begins, and the function
    *("s1", "c1", "y1", "work1", "steps1", "dense1", "found1", "owner", "s0", "c0", "integrate"),
]
WHOLE = {"c", "kinds", "flags", "row", "motion", "codes", "c1", "c0", "owner", "integrate", "prepare"}
