"""What a viewer may know of a state and its events: views from allow-lists, and explanations."""
