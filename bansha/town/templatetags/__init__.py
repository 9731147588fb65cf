"""Template tags of the town."""
