"""What docs/howto/workspace.md shows, in its order."""

# --- workspace
import lagrangian as lg

reach = lg.workspace("two_r", over={"theta1": (0, 2.0), "theta2": (-2.5, 0.5)})
print(reach)
reach.plot("two_r-workspace.png")

# --- parallel
platform = lg.workspace("three_rrr", resolution=24)
print(platform)

# --- limits
lift = lg.workspace("scara", over={"d3": (0, 0.1)}, resolution=16)
print(lift)

# --- serial
print(lg.singularities("two_r", {"theta2": (-3.0, 3.5)}, "tip"))

# --- singular
singularities = lg.singularities("three_rrr", {"theta1": (-3.0, 3.0)})
print(singularities)

# --- map
locus = lg.singularities(
    "three_rrr", {"theta1": (-3.0, 3.0), "theta2": (-3.0, 3.0)}, lines=11
)
print(len(locus), "points")
locus.plot("three_rrr-singularities.png")
