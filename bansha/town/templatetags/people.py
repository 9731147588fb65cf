"""Form fields in the town's look, for the pages of accounts."""

from __future__ import annotations

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def control(field: BoundField) -> SafeString:
    """The input of a field: the town's class unless it is a box to tick; no placeholder that repeats the label."""
    attrs: dict[str, str | bool] = {"placeholder": False}
    if field.widget_type not in ("checkbox", "radioselect"):
        attrs["class"] = "input"
    return field.as_widget(attrs=attrs)
