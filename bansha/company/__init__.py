"""Computer players at the town's doors: accounts like any other, who see the view of their seat and read what is public."""
