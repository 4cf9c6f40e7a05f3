"""The examples of docs/explanation/conventions.md, in its order."""

# --- angles
import lagrangian as lg

for roll in (1.57079632679, 1.5707963268, 1.570796326797, 3.1415926536, 1e-12):
    turned = lg.Transform.from_rpy(rpy=(roll, 0, 0)).rotation
    exact = {float(x) for row in turned for x in row} <= {-1, 0, 1}
    print(roll, "is a multiple of 90 degrees" if exact else "is another angle")
