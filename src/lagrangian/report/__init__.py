"""The pages about runs and studies, and the tour: each is one HTML file that works offline."""
