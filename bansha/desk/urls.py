"""The desk's addresses."""

from django.urls import path

from bansha.desk import views

app_name = "desk"
urlpatterns = [
    path("g/<int:game>/desk/", views.desk, name="desk"),
    path("g/<int:game>/desk/seat/<int:seat>/", views.seat, name="seat"),
    path("g/<int:game>/desk/why/", views.why, name="why"),
    path("g/<int:game>/desk/log/", views.log, name="log"),
    path("g/<int:game>/desk/copy/", views.copy, name="copy"),
    path("g/<int:game>/desk/act/<slug:name>/", views.act, name="act"),
    path("g/<int:game>/desk/<slug:what>/<int:index>/deal/", views.deal, name="deal"),
    path("g/<int:game>/desk/<slug:what>/<int:index>/dismiss/", views.dismiss, name="dismiss"),
    path("g/<int:game>/desk/request/<int:request_id>/vote/", views.request_vote, name="request-vote"),
    path("g/<int:game>/desk/request/<int:request_id>/answer/", views.request_answer, name="request-answer"),
    path("g/<int:game>/desk/wording/<slug:room>/<int:floor>/", views.wording, name="wording"),
]
