"""The town: accounts, games as people see them, personas, threads, posts, letters. See docs/town.md."""
