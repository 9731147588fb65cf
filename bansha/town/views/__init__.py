"""The town's pages, a module each. Each view wears a guard (`bansha.town.guards`)."""
