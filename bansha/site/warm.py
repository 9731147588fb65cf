"""What a fresh process would otherwise do during its first request: addresses and views, templates, languages, rulesets. Nothing of
it asks the database: a connection must not be there before the workers fork."""

from __future__ import annotations

import gc
from pathlib import Path
from wsgiref.util import setup_testing_defaults

from django.apps import apps
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.template.loader import get_template
from django.urls import reverse
from django.utils import translation

from bansha.journal import doors


def warm(application: WSGIHandler) -> None:
    """Load and compile what every worker needs, and make one page that is the same for everybody."""
    for room in apps.get_app_configs():
        if room.name.startswith("bansha."):
            templates = Path(room.path, "templates")
            for file in sorted(templates.rglob("*.html")):
                get_template(file.relative_to(templates).as_posix())
    doors.prepare()
    pages(application)
    gc.collect()
    gc.freeze()  # what stands now stays: collecting it would copy its pages in every worker


def pages(application: WSGIHandler) -> None:
    """Make a page that is the same for everybody, in each language. A worker does so once more after the fork: what a page needs is
    then its own, and the first reader does not wait for the copying."""
    for language, _name in settings.LANGUAGES:
        environ = {"PATH_INFO": reverse("account_login"), "HTTP_HOST": settings.TOWN, "HTTP_ACCEPT_LANGUAGE": language}
        setup_testing_defaults(environ)
        application.get_response(WSGIRequest(environ))
    translation.deactivate()
