"""Django's settings. Everything that differs between places comes from the environment; the defaults serve one machine.

BANSHA_HOME       folder of the embedded database (default: var/ in the working folder)
DATABASE_URL      postgresql://user:password@host:port/name instead of the embedded SQLite
BANSHA_SECRET     the signing key; without it that of the file `secret` in BANSHA_HOME, which `bansha seed` makes
BANSHA_STREAM     where browsers find the live stream, e.g. http://localhost:8001 (default: at the town's own address)
BANSHA_HOSTS      names the town is addressed by, with commas (default: localhost)
BANSHA_INVITE     1: who registers needs an invitation
BANSHA_OUTAGE     minutes without a clock that count as an outage of the town (default 5; 0: none do)
BANSHA_GRACE      minutes a game's time stands still after one, for its directors (default 60)
BANSHA_DEBUG      1 for development: allows the test clock, a throw-away key
BANSHA_TRACEBACKS 1 with it: errors in the browser with their tracebacks, files read anew
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from bansha.journal.time import TEST_CLOCK

DEVELOPMENT = os.environ.get("BANSHA_DEBUG") == "1"
DEBUG = DEVELOPMENT and os.environ.get("BANSHA_TRACEBACKS") == "1"
HOME = Path(os.environ.get("BANSHA_HOME", "var"))

SECRET_KEY = os.environ.get("BANSHA_SECRET", "")
if not SECRET_KEY and (HOME / "secret").is_file():
    SECRET_KEY = (HOME / "secret").read_text("ascii").strip()
if not SECRET_KEY:
    if not DEVELOPMENT:
        raise ImproperlyConfigured("BANSHA_SECRET is not set: give a long random text, or BANSHA_DEBUG=1 for development")
    SECRET_KEY = "development only, never in earnest"
if os.environ.get(TEST_CLOCK) and not DEVELOPMENT:
    raise ImproperlyConfigured(f"{TEST_CLOCK} is for tests: unset it, or set BANSHA_DEBUG=1")

HOSTS = [host for host in os.environ.get("BANSHA_HOSTS", "localhost").split(",") if host]
ALLOWED_HOSTS = [*HOSTS, "127.0.0.1"] if DEVELOPMENT else HOSTS
STREAM = os.environ.get("BANSHA_STREAM", "").rstrip("/")
INVITE_ONLY = os.environ.get("BANSHA_INVITE") == "1"
OUTAGE_MINUTES = int(os.environ.get("BANSHA_OUTAGE", "5"))
GRACE_MINUTES = int(os.environ.get("BANSHA_GRACE", "60"))
HTTPS = not DEVELOPMENT and HOSTS != ["localhost"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "bansha.journal.apps.JournalConfig",
    "bansha.town.apps.TownConfig",
    "bansha.desk.apps.DeskConfig",
    "servestatic",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "bansha.town.middleware.OwnWays",
]
ROOT_URLCONF = "bansha.site.urls"
WSGI_APPLICATION = "bansha.site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "bansha.town.context.page",
            ],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
INSTALLED_APPS.append("django.forms")

AUTH_USER_MODEL = "town.Account"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
if os.environ.get("BANSHA_QUICK_PASSWORDS") == "1":  # tests sign in a hundred times
    if not DEVELOPMENT:
        raise ImproperlyConfigured("BANSHA_QUICK_PASSWORDS is for tests: unset it, or set BANSHA_DEBUG=1")
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "town:front"
LOGOUT_REDIRECT_URL = "town:front"
ACCOUNT_ADAPTER = "bansha.town.accounts.Adapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_SESSION_REMEMBER = None  # the form asks; yes is thirty days
ACCOUNT_SESSION_COOKIE_AGE = SESSION_COOKIE_AGE = 30 * 86400
ACCOUNT_FORMS = {"login": "bansha.town.entrance.Login", "signup": "bansha.town.entrance.Register"}
ACCOUNT_LOGOUT_ON_GET = False
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {"add_webauthn": "bansha.town.entrance.AddKey", "edit_webauthn": "bansha.town.entrance.EditKey"}
MFA_TOTP_ISSUER = "版杀"
MFA_ADAPTER = "bansha.town.accounts.Keys"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = HOSTS == ["localhost"]
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "bansha.town.views.errors.stale"
SECURE_REFERRER_POLICY = "same-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", *filter(None, [STREAM])],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    }
}

CACHES = {
    # shared by the processes of a machine: rate limits count in it
    "default": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": str(HOME / "cache")},
}
STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = DEBUG

USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LANGUAGE_COOKIE_NAME = "lang"
LOCALE_PATHS = [Path(__file__).resolve().parent.parent / "locale"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
SILENCED_SYSTEM_CHECKS = ["account.W001"]


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
