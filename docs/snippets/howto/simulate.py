"""The snippets of docs/howto/simulate.md, in its order."""

# --- run
import numpy as np

import lagrangian as lg

motion = lg.simulate(lg.library("two_r"))
print(motion)

# --- rows
print(motion.t.shape, motion.q.shape, motion.q[-1].round(4))
q, qd = motion(0.12345)  # at any time, or at several: the integrator's own interpolation
print(q.round(4), qd.round(4))

# --- plot
motion.plot(path="motion.png")  # or motion.plot() in a notebook

# --- save
motion.save("run.nc")
again = lg.read("run.nc")
print(repr(again))
print(
    again.to_xarray()["q"].sel(coordinate="theta2", time=5.0).item() == motion.q[500, 1]
)

# --- start
arm = lg.library("two_r")
print(lg.simulate(arm, 2, q0=["30deg", 0.5], qd0=[0.0, 1.0]).q[0].round(4))
print(lg.simulate(arm, 2, q0="upright").q[0].round(4))
bar = lg.library("four_bar")
motion = lg.simulate(bar, 2, q0={"theta1": 2.0}, qd0={"theta1": 3.0})
print(motion.q[0].round(4), motion.qd[0].round(4))


# --- torques
def end(torque):
    return lg.simulate(arm, 2, torque=torque).q[-1].round(4).tolist()


print("none       ", end(0))
print("constant   ", end([5.0, 0.0]))
print(
    "expressions",
    end({"theta1": "-20*(theta1 + pi/2) - 2*qd_theta1 + 3*sin(2*t)", "theta2": -1}),
)
times = np.linspace(0, 2, 21)
print("table      ", end((times, np.column_stack([10 * np.sin(times), 0 * times]))))


# --- functions
def law(t, q, qd):
    return [-20 * (q[0] + np.pi / 2) - 2 * qd[0] + 3 * np.sin(2 * t), -1.0]


print("function   ", end(law))
print("traced     ", end(lg.Traced(law)))
print("controller ", end(lg.Sampled(law, period=0.01, delay=0.005)))

# --- corners
values = 10 * np.sin(times)
table = (times, np.column_stack([values, 0 * times]))
for torque in (lambda t, q, qd: [np.interp(t, times, values), 0.0], table):
    motion = lg.simulate(arm, 2, torque=torque)
    counts = motion.statistics
    print(counts["accepted"], "steps,", counts["rejected"], "rejected")

# --- wrenches
motion = lg.simulate(
    arm, 2, torque=0, wrenches={"link2": (0, 0, 0, "30*sin(5*t)", 5.0, 0)}
)
work, balance = motion.work["wrenches"][-1], np.abs(motion.energy_balance).max()
print(motion.q[-1].round(4), "work", work.round(4), "J, balance", f"{balance:.0e} J")


def drag(t, q, qd):
    return [0, 0, -3.0 * (qd[0] + qd[1]), 0, 0, 0]


print(lg.simulate(arm, 2, torque=0, wrenches={"link2": drag}).q[-1].round(4))

# --- drive
driven = bar.replace(
    constraints=[lg.HolonomicConstraint("drive", "theta1 = 1 + 2*t + 0.1*sin(5*t)")]
)
motion = lg.simulate(driven, 2, q0=lg.assemble(driven))
print(motion.constraint_names, motion.q[-1].round(4))

# --- results
motion = lg.simulate(bar)
print(motion.constraint_names, motion.multipliers[0].round(3), "N on the coupler")
print("on the crank at its bearing:", motion.reactions[0, 0].round(3))
for name, work in motion.work.items():
    print(name, np.atleast_1d(work[-1]).round(4).tolist())
change = motion.energy[-1] - motion.energy[0]
print(f"change of energy {change:.6f} J, work {motion.total_work[-1]:.6f} J")
print(motion.resample([0.0, 0.5, 1.0]).qdd.round(3).tolist())


# --- errors
def fails(t, q, qd):
    if t > 1:
        raise RuntimeError("no more current")
    return [0.0, 0.0]


try:
    lg.simulate(arm, 2, torque=fails)
except lg.SimulationError as error:
    print(error)
    print(len(error.motion.t), "rows")
for wrong in (
    {"t_span": (2, 1)},
    {"torque": {"theta3": 1}},
    {"method": "radau"},
    {"q0": "hangin"},
):
    try:
        lg.simulate(arm, **wrong)
    except lg.ArgumentError as error:
        print(error)
try:
    lg.simulate(bar, q0=[0, 0, 0])
except lg.ArgumentError as error:
    print(error)
