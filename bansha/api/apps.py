"""The interface for programs as a Django app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Tokens are its only rows."""

    name = "bansha.api"
    label = "api"
