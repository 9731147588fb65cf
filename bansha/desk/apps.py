"""The desk as a Django app."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    """The desk: pages over the journal's doors and the town; it has no rows of its own."""

    name = "bansha.desk"
    label = "desk"
