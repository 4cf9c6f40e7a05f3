"""Functions written as the closed form has them: a formula an entry, with the names that a reader knows."""
