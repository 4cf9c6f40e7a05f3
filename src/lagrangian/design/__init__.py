"""What designers look for without a run: workspaces, singular configurations, and a linkage over a turn of its input."""
