"""What closed mechanisms need beyond the tree: constraint equations with their derivatives, and motion with multipliers."""
