"""Our mechanisms as models of Pinocchio and MuJoCo."""
