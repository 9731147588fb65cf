"""The index of the search takes up each post at once: put off, they were taken up by some writer, who waited for all of them."""

from typing import Any

from django.db import migrations


def at_once(_apps: Any, editor: Any) -> None:
    """On PostgreSQL; SQLite's index is of another kind."""
    if editor.connection.vendor == "postgresql":
        editor.execute("ALTER INDEX town_search_grams SET (fastupdate = off)")


class Migration(migrations.Migration):
    """Only how the index is kept changes, not what it holds."""

    dependencies = (("town", "0006_post_newest"),)
    operations = (migrations.RunPython(at_once, migrations.RunPython.noop),)
