"""The addresses of feeds, calendars and notices."""

from django.urls import path

from bansha.notify import feeds, views

app_name = "notify"
urlpatterns = [
    path("g/<int:game>/feed/", feeds.game_feed, name="feed"),
    path("g/<int:game>/t/<slug:room>/feed/", feeds.thread_feed, name="thread_feed"),
    path("calendar/<str:token>.ics", views.calendar, name="calendar"),
    path("profile/notices/", views.notices, name="notices"),
    path("profile/notices/push/", views.device, name="device"),
    path("notices/<str:key>/", views.go, name="go"),
    path("notices/stop/<str:token>/", views.stop, name="stop"),
    path("push.js", views.worker, name="worker"),
]
