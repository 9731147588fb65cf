"""The addresses of the town."""

from django.urls import include, path

from bansha.site import health

urlpatterns = [
    *health.urls,
    path("", include("bansha.town.urls")),
    path("", include("bansha.desk.urls")),
    path("", include("bansha.notify.urls")),
    path("", include("bansha.api.urls")),
    path("accounts/", include("allauth.urls")),
]

handler404 = "bansha.town.views.errors.not_found"
handler403 = "bansha.town.views.errors.forbidden"
handler500 = "bansha.town.views.errors.broken"
handler400 = "bansha.town.views.errors.bad"
