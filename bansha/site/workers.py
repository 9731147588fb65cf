"""What gunicorn calls in the page processes (`--config python:bansha.site.workers`); read before Django is set up."""

from __future__ import annotations


def post_worker_init(_worker: object) -> None:
    """A worker has started: it makes its first page for nobody."""
    from bansha.site.warm import pages
    from bansha.site.wsgi import application

    pages(application)
