"""Notices as a Django app: what listens to the journal and to posts is registered when it is loaded."""

from __future__ import annotations

from django.apps import AppConfig


class NotifyConfig(AppConfig):
    """Feeds, calendars, notices and their outbox."""

    name = "bansha.notify"
    label = "notify"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the projector and what listens to posts and requests."""
        from bansha.journal import projectors
        from bansha.notify import projector, signals

        projectors.register("notify", projector.project, projector.clear)
        signals.connect()
