"""What designers look for without a run: workspaces, singular configurations, and what a linkage does over a turn of its input."""
