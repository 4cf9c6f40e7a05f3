"""Our mechanisms as models of Pinocchio and MuJoCo, whose numbers `lagrangian compare` puts beside ours."""
