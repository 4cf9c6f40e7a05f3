"""What docs/howto/run_a_study.md shows, in its order."""

# --- study
import lagrangian as lg

arm = lg.library("two_r")
over = {
    "l1": lg.distributions.grid(0.8, 1.2, 9),
    "m2": lg.distributions.normal(12.5, 0.5),
}
study = lg.study(
    arm,
    over,
    run={"t_span": 2},
    keep=["min(tip.x)", "peak(qd_theta1)", "rows(theta2)"],
    samples=16,
    folder="lengths",
)
print(study)

# --- arrays
print(study["min(tip.x)"].shape, study.grid_array("min(tip.x)").shape)
best = int(study["peak(qd_theta1)"].argmin())
print({name: round(x, 3) for name, x in study.sample(best).items()})
motion = study.motion(best)  # simulate this sample again
study.plot(path="lengths.png")
study.report("lengths.html")
study.save("lengths.csv")  # or .nc

# --- indices
indices = lg.read_study("reach").indices("effort")
print(indices)


# --- function
def settling(mechanism, sample):
    """How fast a pendulum comes to rest, by its slowest mode."""
    torque = {"theta": f"-{sample['kd']}*qd_theta"}
    slow = lg.linearise(mechanism, "hanging", torque=torque)
    return {"decay": min(-slow.eigenvalues().real)}


pendulum = lg.library("pendulum")
over = {"L": lg.distributions.grid(0.5, 1.5, 3), "kd": [0.5, 1.0]}
decay = lg.study(pendulum, over, settling, folder="settling", workers=1)
print(decay.grid_array("decay").round(3))
