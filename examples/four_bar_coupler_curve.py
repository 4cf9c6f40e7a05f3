"""Analyse a four-bar linkage: Grashof's rule, dead centres, transmission angle, and the coupler curve of a point.

Give the name of a picture to draw the result: `python four_bar_coupler_curve.py picture.png`.
"""

import sys

import numpy as np

import lagrangian as lg

# One turn of the crank. "C" is a point in the middle of the coupler.
bar = lg.library("four_bar")
turn = lg.analyse_cycle(bar, speed=10.0)
print(turn.four_bar)
print("crank angles at the dead centres:", np.degrees([found.input_value for found in turn.dead_centres]).round(1), "deg")
print(f"smallest transmission angle: {np.degrees(turn.transmission_angle.min()):.1f} deg")
print(f"time ratio of advance and return: {turn.time_ratio:.3f}")
curve = turn.coupler_curve("C")
print(curve)

# A longer crank swings the rocker further, at the price of the transmission angle.
for l1 in np.linspace(0.2, 0.4, 5):
    cycle = lg.analyse_cycle(bar.with_parameters(l1=float(l1)))
    swing, angle = np.degrees([np.ptp(cycle.q[:, 2]), cycle.transmission_angle.min()])
    print(f"crank {l1:.2f} m: the rocker swings by {swing:.1f} deg, transmission angle at least {angle:.1f} deg")

if len(sys.argv) > 1:
    curve.plot(sys.argv[1])
