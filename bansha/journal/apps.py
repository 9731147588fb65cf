"""Django's entry for the journal."""

from django.apps import AppConfig


class JournalConfig(AppConfig):
    """The journal: its rows are written by `bansha.journal.doors` alone."""

    name = "bansha.journal"
    label = "journal"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Begin to watch over the embedded database's file."""
        from bansha.journal import faults

        faults.connect()
