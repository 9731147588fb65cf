"""Tags of the desk."""
