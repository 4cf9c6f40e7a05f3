"""The parts that `Equations` is made of, each with the formulas of one kind."""
