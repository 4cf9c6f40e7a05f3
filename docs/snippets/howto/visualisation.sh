# --- view
lagrangian view stewart     # sliders for the joints; loops stay closed
lagrangian view leg.nc      # plays a saved motion, with forces as arrows
