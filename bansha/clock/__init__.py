"""Runs what is due. Several clocks may run at once, on one machine or many; each deadline happens exactly once."""
