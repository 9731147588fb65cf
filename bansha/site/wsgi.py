"""Pages as a WSGI application. It is warm before the first request: a server that loads it before it forks (`--preload`, as
`bansha serve` does) has workers whose first page costs what every page costs."""

import os
import sys

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bansha.site.settings")
application = get_wsgi_application()

from bansha.site.warm import warm  # noqa: E402

warm(application)

sys.setswitchinterval(0.0005)  # seconds; who holds a game's lock must not wait five thousandths for every answer of the database
