"""What docs/explanation/proofs.md shows, in its order."""

# --- prove
import lagrangian as lg

certificate = lg.derive("two_r").prove()
print(certificate.proved)
for statement in certificate.statements:
    print(f"{statement.what:<41}{statement.how}")

# --- loops
certificate = lg.derive("four_bar").prove()
for statement in certificate.statements[-5:]:
    print(f"{statement.what:<42}{statement.how:<22}{statement.result}")

# --- scope
certificate = lg.derive("puma560").prove()
print(certificate.proved, certificate.left_out)
