"""Games played by computer players: one to watch, or many to count."""
