"""The examples of docs/reference/library.md, in its order."""

# --- use
import lagrangian as lg

names = lg.library()  # print(names) shows a table
print(names[:3], "and", len(names) - 3, "more")
motion = lg.simulate(lg.library("jansen"))
arm = lg.library("two_r", parameters={"l1": 0.5})  # with another length
print(arm.source)  # where the numbers come from

# --- chain
link = lg.DHParameters(
    "R", a=0.1, mass=0.05, center=(-0.05, 0, 0), inertia=(0, 4e-5, 4e-5)
)
chain = lg.Mechanism.from_dh(
    [link] * 500, convention="standard", name="chain", gravity=(0, -9.81, 0)
)
motion = lg.simulate(chain, 0.1)
