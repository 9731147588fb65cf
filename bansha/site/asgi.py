"""The live stream as an ASGI application, for a server of one's own choice; `bansha serve` runs it by itself."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bansha.site.settings")
django.setup()

from bansha.site.stream import Stream  # noqa: E402

application = Stream()
