# --- sweep
lagrangian simulate two_r --sweep l1=0.5:1:20 --keep "peak(qd_theta2)" -t 5

# --- file
lagrangian study reach.toml

# --- begin
lagrangian new balance --study two_r

# --- cluster
dask scheduler
dask worker tcp://head-node:8786 --nthreads 1 --nworkers 8
