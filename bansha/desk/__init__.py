"""The director's desk: one screen that answers what is going on, what is next, and who is missing. See docs/desk.md."""
