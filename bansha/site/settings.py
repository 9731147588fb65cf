"""Django's settings. Everything that differs between places comes from the environment; the defaults serve one machine.

BANSHA_HOME       folder of the embedded database (default: var/ in the working folder)
DATABASE_URL      postgresql://user:password@host:port/name instead of the embedded SQLite
BANSHA_SECRET     the signing key; needed unless BANSHA_DEBUG is 1
BANSHA_DEBUG      1 for development: allows the test clock, a throw-away key
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from bansha.journal.time import TEST_CLOCK

DEBUG = os.environ.get("BANSHA_DEBUG") == "1"
HOME = Path(os.environ.get("BANSHA_HOME", "var"))

SECRET_KEY = os.environ.get("BANSHA_SECRET", "")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("BANSHA_SECRET is not set: give a long random text, or BANSHA_DEBUG=1 for development")
    SECRET_KEY = "development only, never in earnest"
if os.environ.get(TEST_CLOCK) and not DEBUG:
    raise ImproperlyConfigured(f"{TEST_CLOCK} is for tests: unset it, or set BANSHA_DEBUG=1")

INSTALLED_APPS = ["bansha.journal.apps.JournalConfig"]
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def database(url: str) -> dict[str, Any]:
    """The database of a URL, or the embedded SQLite when there is none.

    Raises:
        ImproperlyConfigured: another kind of URL.
    """
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(HOME / "bansha.sqlite3"),
            # read-then-write transactions take the write lock at once; readers never wait for a writer
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres"):
        raise ImproperlyConfigured(f"DATABASE_URL: {parts.scheme}:// is not known; postgresql:// is")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or "") or _socket(parts.query),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
    }


def _socket(query: str) -> str:
    """The socket folder of `postgresql:///name?host=/folder`."""
    pairs = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
    return unquote(pairs.get("host", ""))


DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""))}
if not os.environ.get("DATABASE_URL"):
    HOME.mkdir(parents=True, exist_ok=True)
