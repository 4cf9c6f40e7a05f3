# --- draw
lagrangian studio --draw
