"""The index of the search, made for the database at hand."""

from typing import Any

from django.db import migrations

from bansha.town.searching import CREATE, DROP


def make(_apps: Any, editor: Any) -> None:
    """Create it."""
    for statement in CREATE[editor.connection.vendor]:
        editor.execute(statement)


def drop(_apps: Any, editor: Any) -> None:
    """Take it away."""
    editor.execute(DROP)


class Migration(migrations.Migration):
    """Beside the rows of the town, not among its models."""

    dependencies = (("town", "0001_initial"),)
    operations = (migrations.RunPython(make, drop),)
