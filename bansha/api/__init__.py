"""The town for programs: an OpenAPI interface whose tokens stand for one seat, or for reading alone."""
