"""What docs/howto/mark_homework.md shows, in its order."""

# --- answer
answer = """
M[1,1] = m1*l1^2 + m2*(l1^2 + l2^2 + 2*l1*l2*cos(theta2))
M[1,2] = m2*l2*(l2 + l1*cos(theta2))
M[2,2] = m2*l2^2
C[1]   = -m2*l1*l2*sin(theta2)*(theta1'*theta2' + theta2'^2)  # C q', first row
C[2]   = m2*l1*l2*sin(theta2)*theta1'^2
G[1]   = (m1 + m2)*g*l1*cos(theta1) - m2*g*l2*cos(theta1 + theta2)
G[2]   = m2*g*l2*cos(theta2)
"""

# --- marks
import lagrangian as lg

eom = lg.derive("two_r_point_masses")
marking = eom.check(answer)
print(marking)

# --- data
print(marking.right, [mark.name for mark in marking.checks if not mark.right])
print(marking.checks[3].difference)
