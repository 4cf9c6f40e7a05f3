# --- check
lagrangian check lift.urdf
