# --- install
pip install .     # in a copy of the repository
lagrangian tour   # takes a minute and writes a report to open in your browser

# --- new
lagrangian new arm

# --- derive
lagrangian derive arm.toml

# --- simulate
lagrangian simulate arm.toml --plot --animate

# --- see
lagrangian view arm.toml    # opens the arm in your browser, with a slider for each joint
lagrangian report arm.nc    # writes everything about the run to one page
