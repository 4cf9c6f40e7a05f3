"""What docs/explanation/motor_sizing.md shows, in its order."""

# --- sizing
import lagrangian as lg

arm = lg.library("panda")
there = [0.9, 0.5, -0.3, -1.2, 0.4, 1.4, 0.5]
back = [-0.3, -0.4, 0.2, -2.2, -0.4, 2.1, -0.5]
motion = lg.inverse(arm, lg.paths.joint_line(back, there, 1.2))
sizing = lg.size_actuators(arm, motion, dwell=0.4)
print(sizing)

# --- alternatives
q2 = sizing["q2"]
print(len(q2.feasible), "pairs fit; of each motor the best:")
for candidate in q2.alternatives[:4]:
    print(" ", candidate)

# --- rotors
again = lg.inverse(sizing.mechanism, lg.paths.joint_line(back, there, 1.2))
print(abs(again.tau - sizing.tau).max() < 1e-10)
