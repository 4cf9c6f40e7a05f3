"""What docs/howto/linkages.md shows, in its order."""

# --- turn
import numpy as np

import lagrangian as lg

cycle = lg.analyse_cycle("four_bar", speed=10.0)
print(cycle)
cycle.plot("four_bar-turn.png")

# --- mine
mine = lg.library("four_bar").with_parameters(
    l0=0.22, l1=0.06, l2=0.20, l3=0.14, m1=0.2, m2=0.5, m3=0.4
)
print(lg.analyse_cycle(mine, speed=2 * np.pi))  # 60 rpm

# --- rows
print(cycle.x.shape, cycle.q.shape, cycle.velocity_ratios.shape)
print(f"{cycle.torque.min():.3f} to {cycle.torque.max():.3f} N m")
largest = (cycle.multipliers**2).sum(axis=1).max() ** 0.5
print(f"largest force in the pin: {largest:.2f} N")

# --- dead-centres
push = lg.analyse_cycle("slider_crank", "x")
print(push)

# --- output
lift = lg.analyse_cycle("four_bar", output=("C", "y"))
print(lift.output, lift.units, f"{abs(lift.output_ratio).max():.4f}")

# --- grashof
for l1 in (0.3, 0.5, 0.6):
    turn = lg.analyse_cycle(lg.library("four_bar").with_parameters(l1=l1))
    print(f"{l1}: {turn.four_bar.kind}, turns: {turn.turns}, ends: {turn.ends}")

# --- compare
lengths = lg.distributions.grid(0.2, 0.45, 6)
compared = lg.compare_cycles("four_bar", {"l1": lengths}, speed=10.0)
print(compared)
compared.plot("four_bar-turns.png")

# --- curve
curve = cycle.coupler_curve("C")
print(curve)
curve.plot("C.png")
print(cycle.travel_text("C"))

# --- point
raised = mine.with_parameters({"C.placement.position.y": 0.2})
print(lg.analyse_cycle(raised).coupler_curve("C"))
