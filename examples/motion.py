"""Mechanisms set in motion: a double pendulum, and a linkage that unfolds, locks, and is saved as a netCDF file."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import lagrangian as lg

# Every mechanism of the library says how it starts: this one falls from where its arm is bent.
motion = lg.simulate(lg.library("two_r"))
print(motion)
q, qd = motion(3.21)  # at any time
print("at 3.21 s:", q.round(4), qd.round(4))

# The same arm held by springs and dampers, given as expressions, and what they did.
held = {"theta1": "-4000*theta1 - 400*qd_theta1", "theta2": "-1000*theta2 - 100*qd_theta2"}
motion = lg.simulate(lg.library("two_r"), 5, q0="zero", torque=held)
print("\nheld near level, it sags to", np.degrees(motion.q[-1]).round(2), "degrees")
print("its drives took", -motion.total_work[-1].round(2), "J")

# A closed loop, driven by a spring: it unfolds until two of its links are in line, and locks there.
linkage = lg.library("deployable_four_bar")
latch = lg.Event("dead centre", lg.Lock("phi2"))
motion = lg.simulate(linkage, 14, events=latch)
print(f"\n{motion}")
locked = next(event for event in motion.events if event.name == "dead centre")
print(f"theta1 = {np.degrees(locked.q[0]):.2f} degrees at {locked.t:.6f} s")
print("the latch took", -motion.work["impacts"][-1].round(3), "J")

# Into a file, which other tools read too, and back.
with tempfile.TemporaryDirectory() as folder:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(folder) / "linkage.nc")
    motion.save(path)
    again = lg.read(path, linkage)
    print("\nread back:", repr(again))
    print("largest force in the bearing of link 1:", np.linalg.norm(again.reactions[:, 0, 3:], axis=1).max().round(1), "N")
