"""The town as a Django app: its projector is registered when it is loaded."""

from __future__ import annotations

from django.apps import AppConfig


class TownConfig(AppConfig):
    """The town."""

    name = "bansha.town"
    label = "town"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the projector and what listens to sign-ins."""
        from bansha.journal import projectors
        from bansha.town import projector, searching, signals

        projectors.register("town", projector.project, projector.clear, projector.finish)
        signals.connect()
        searching.connect()
