"""The snippets of docs/howto/proven_digits.md, in its order."""

# --- certify
import lagrangian as lg

proven = lg.certify("two_r", [0.5, 1.0], digits=30)
for name in ("theta1", "theta2", "qd_theta1", "qd_theta2"):
    print(f"{name:<9} {proven[name]:.30}")
run = lg.simulate("two_r", 1.0, rtol=1e-12, atol=1e-14)
print(proven.contains(run, within=1e-12), (proven.error_bounds(run) < 1e-12).all())
print(0 in proven.energy_balance, proven.energy_balance.radius < 1e-30)
low, high = proven["theta1"].bounds
print(low[:30] == high[:30], float(proven["theta1"]))

# --- refused
for refused in ("four_bar", "puma560"):
    try:
        lg.certify(refused, 1)
    except lg.ArgumentError as error:
        print(error)
