"""Settings and servers: where the served half is put together."""
