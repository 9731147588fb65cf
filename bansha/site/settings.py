"""Django's settings. Everything that differs between places comes from the environment; the defaults serve one machine.

BANSHA_HOME       folder of the embedded database (default: var/ in the working folder)
DATABASE_URL      postgresql://user:password@host:port/name instead of the embedded SQLite
BANSHA_SECRET     the signing key; without it that of the file `secret` in BANSHA_HOME, which `bansha seed` makes
BANSHA_STREAM     where browsers find the live stream, e.g. http://localhost:8001 (default: at the town's own address)
BANSHA_HOSTS      names the town is addressed by, with commas (default: localhost)
BANSHA_INVITE     1: who registers needs an invitation
BANSHA_FORMS      forms, and searches, taken a minute from an account or a signed-out address (default 60; 0: any number)
BANSHA_PROXIES    proxies in front that append to X-Forwarded-For (default 1 where BANSHA_HOSTS names a host, else 0)
BANSHA_ADDRESS    the town's own address in letters, feeds and calendars (default: https:// and the first of BANSHA_HOSTS)
BANSHA_MAIL       smtp://user:password@host:587 (STARTTLS), smtps://…:465, smtp+plain://… without TLS, or console: (default: letters
                  of the gate on the console, no notices by mail)
BANSHA_MAIL_FROM  who letters are from (default: bansha@ and the first of BANSHA_HOSTS)
BANSHA_PUSH_HOSTS push services that may be asked, with commas (default: those of the browsers there are)
BANSHA_VAPID      the key web push is signed with (base64url); without it that of the file `vapid` in BANSHA_HOME, made once
BANSHA_CACHE      database where pages are served from several machines: what the gate's rate limits count in (default: files)
BANSHA_OUTAGE     minutes without a clock that count as an outage of the town (default 5; 0: none do)
BANSHA_GRACE      minutes a game's time stands still after one, for its directors (default 60)
BANSHA_DEBUG      1 for development: allows the test clock, a throw-away key
BANSHA_TRACEBACKS 1 with it: errors in the browser with their tracebacks, files read anew
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

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
TOWN = HOSTS[0].lstrip(".*") or "localhost"
ADDRESS = os.environ.get("BANSHA_ADDRESS", "").rstrip("/") or f"{'https' if HTTPS else 'http'}://{TOWN}"
VAPID = os.environ.get("BANSHA_VAPID", "")
PUSH_HOSTS = frozenset(
    os.environ.get(
        "BANSHA_PUSH_HOSTS", "fcm.googleapis.com,updates.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com"
    ).split(",")
) - {""}
FORMS_A_MINUTE = int(os.environ.get("BANSHA_FORMS", "60"))
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("BANSHA_PROXIES", "1" if HTTPS else "0"))

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
    "bansha.notify.apps.NotifyConfig",
    "bansha.api.apps.ApiConfig",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "bansha.site.statics.Statics",
    "django.middleware.gzip.GZipMiddleware",
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
    "bansha.town.pacing.Pacing",
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
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("BANSHA_MAIL_FROM", "") or f"bansha@{TOWN}"
EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
EMAIL_TIMEOUT = 20
MAILS = bool(os.environ.get("BANSHA_MAIL"))
"""Whether notices go out by mail."""


def mail_server(url: str) -> dict[str, Any]:
    """Django's mail settings for a URL; the console when there is none.

    Raises:
        ImproperlyConfigured: another kind of URL, or no host in it.
    """
    parts = urlsplit(url)
    if parts.scheme in ("", "console"):
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    ports = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured("BANSHA_MAIL: write smtp://user:password@host:587, smtps://…, smtp+plain://… or console:")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or ports[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


globals().update(mail_server(os.environ.get("BANSHA_MAIL", "")))

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 365 * 86400 if HTTPS else 0
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



def cache(where: str) -> dict[str, str]:
    """What the gate's rate limits count in: files, which the processes of one machine share, or a table, which all machines do.

    Raises:
        ImproperlyConfigured: something else.
    """
    if where not in ("", "database"):
        raise ImproperlyConfigured(f"BANSHA_CACHE: {where!r} is not known; give database, or nothing for files")
    if where:
        return {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "bansha_cache"}
    return {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": str(HOME / "cache")}


CACHES = {"default": cache(os.environ.get("BANSHA_CACHE", ""))}
STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "bansha.site.statics.Hashed"},
}

USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LANGUAGE_COOKIE_NAME = "lang"
LOCALE_PATHS = [Path(__file__).resolve().parent.parent / "locale"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
SILENCED_SYSTEM_CHECKS = ["account.W001", "security.W008"]  # whoever stands in front sends people to https


SQLITE = HOME / "bansha.sqlite3"


def database(url: str) -> dict[str, Any]:
    """The database of a URL, or the embedded SQLite when there is none.

    Raises:
        ImproperlyConfigured: another kind of URL.
    """
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            # what has gone is not silently begun anew: only a town that has no database yet makes one
            "NAME": f"file:{quote(str(SQLITE.absolute()))}?mode=rw" if SQLITE.exists() else str(SQLITE),
            "CONN_MAX_AGE": None,  # opening one costs as much as a page's questions
            # read-then-write transactions take the write lock at once; readers never wait for a writer
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000;",
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
        "CONN_HEALTH_CHECKS": True,  # a server that was started anew costs nobody an error
    }


def _socket(query: str) -> str:
    """The socket folder of `postgresql:///name?host=/folder`."""
    pairs = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
    return unquote(pairs.get("host", ""))


DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""))}
if not os.environ.get("DATABASE_URL"):
    HOME.mkdir(parents=True, exist_ok=True)
