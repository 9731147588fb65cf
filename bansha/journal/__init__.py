"""The append-only record of each game: numbered, hash-chained rows, and the two doors, `submit` and `see`."""
