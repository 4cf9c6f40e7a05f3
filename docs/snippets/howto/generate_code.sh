# --- terminal
lagrangian export two_r --to c --functions inverse_dynamics,jacobian:tip -o two_r_c
lagrangian targets          # lists all targets, their options and all functions

# --- build
cmake -S two_r_c -B build && cmake --build build && ctest --test-dir build
