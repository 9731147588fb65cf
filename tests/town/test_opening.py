"""Opening a game: what is refused at its field, what is kept, pictures, sign-up, choosing, the next season's copy."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from PIL import Image

from bansha.journal import time
from bansha.rulesets.load import bundled, load
from bansha.town import avatars, calendar, masks, opening
from bansha.town.acts import Denied
from bansha.town.models import Account, Directing, Game, Persona, Signup
from bansha.town.opening import Faults, Mask, Plan
from bansha.town.table import Table
from tests.support.town import NAMES, Clock, account, client, moment

ROUTE = "/open/"


@pytest.fixture(scope="module", autouse=True)
def tidied() -> Iterator[None]:
    """Games of this module are drafts to the modules after it, which share the town."""
    first = (Game.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    yield
    Game.objects.filter(pk__gte=first).update(status="draft")


def known(name: str, **more: Any) -> Account:
    """An account, made once."""
    found = Account.objects.filter(username=name).first()
    return found if found is not None else account(name, **more)


def plan(name: str = "m205", **more: Any) -> Plan:
    """A plan in which nothing is missing: the deal on Monday at 21:00."""
    made = Plan(
        name, title="第七封信", hash_until=moment(1, 18), deal_at=moment(1, 21),
        personas=[Mask(persona, approved=True) for persona in NAMES[: load(name).ruleset.seats]],
    )  # fmt: skip
    for field, value in more.items():
        setattr(made, field, value)
    return made


def form(**more: str) -> dict[str, str]:
    """The same as a form sends it."""
    sent = {
        "shown": "m205", "board": "m205", "version": "m205", "title": "第七封信", "script": "灯塔的信", "note": "新人来",
        "zone": "Asia/Shanghai",
        "pace": "1", "hash_until": "2026-11-23T18:00", "deal_at": "2026-11-23T21:00", "spectators": "1", "fellows": "", "do": "publish",
        **{f"mask{seat}": name for seat, name in enumerate(NAMES[:10], 1)}, **{f"approved{seat}": "1" for seat in range(1, 11)},
    }  # fmt: skip
    return sent | more


@pytest.fixture
def director(clock: Clock) -> Account:
    """A director, on Monday at nine."""
    clock.at(1, 9)
    known("director2", directs=True)
    return known("director", directs=True)


def test_a_director_opens_a_game_by_the_form(director: Account) -> None:
    browser = client("director")
    page = browser.get(ROUTE)
    assert page.status_code == 200
    for option in load("m205").ruleset.options:
        assert f'name="o.{option}"' in page.content.decode()
    answer = browser.post(ROUTE, form(**{"o.tie_break_scope": "literal", "fellows": "director2", "signature3": "灯不灭"}))
    assert answer.status_code == 302
    game = Game.objects.latest("pk")
    assert answer.headers["Location"] == f"/g/{game.pk}/people/"
    assert (game.status, game.seats, game.ruleset_hash) == ("signup", 10, load("m205").hash)
    assert game.options["tie_break_scope"] == "literal" and game.options["abort"] == "automatic"
    assert list(Directing.objects.filter(game=game).values_list("account__username", "number")) == [("director", 1), ("director2", 2)]
    assert [persona.name for persona in Persona.objects.filter(game=game)] == NAMES[:10]
    assert Persona.objects.get(game=game, seat=3).signature == "灯不灭"
    # the deal on Monday at 21:00: setup ends, and day 1 opens, on Tuesday at 9:00
    assert game.start == moment(2, 9)


def test_a_form_sent_twice_opens_one_game(director: Account) -> None:
    browser = client("director")
    browser.post(ROUTE, form(key="k1"))
    count = Game.objects.count()
    assert browser.post(ROUTE, form(key="k1")).headers["Location"] == f"/g/{Game.objects.latest('pk').pk}/edit/"
    assert Game.objects.count() == count


def test_a_draft_is_its_directors_alone(director: Account) -> None:
    known("player1")
    browser = client("director")
    assert browser.post(ROUTE, form(do="draft", mask4="")).status_code == 302
    game = Game.objects.latest("pk")
    assert game.status == "draft" and Persona.objects.filter(game=game).count() == 9
    for path in ("", "edit/", "people/", "signup/", "deal/", "rules/", "avatar/1/"):
        assert client("player1").get(f"/g/{game.pk}/{path}").status_code == 404
    assert browser.get(f"/g/{game.pk}/edit/").status_code == 200
    refused = browser.post(f"/g/{game.pk}/people/", {"do": "publish"})
    assert refused.status_code == 422 and "还没有名字" in refused.content.decode()
    assert browser.post(f"/g/{game.pk}/edit/", form(title="改过的")).status_code == 302
    game.refresh_from_db()
    assert (game.status, game.title) == ("signup", "改过的")


def test_only_directors_open_games(director: Account) -> None:
    known("player1")
    assert client("player1").get(ROUTE).status_code == 404
    assert client("").get(ROUTE).status_code == 302
    with pytest.raises(Denied, match="还不能开局"):
        opening.open_game(known("player1"), plan(), time.now())


@pytest.mark.parametrize(
    ("field", "value", "where", "said"),
    [
        ("mask9", NAMES[5], "m9e", "6 号已叫"),
        ("mask9", "", "m9e", "还没有名字"),
        ("mask2", "弃权", "m2e", "不能叫"),
        ("mask2", "弃　权", "m2e", "不能叫"),
        ("mask2", "投票对象：木偶", "m2e", "投票对象"),
        ("mask2", "他的改票理由", "m2e", "改票理由"),
        ("mask2", "零\u200b宽", "m2e", "看不见"),
        ("mask2", "反\u202e向", "m2e", "看不见"),
        ("mask2", "一行\n两行", "m2e", "换行"),
        ("mask2", "长" * 25, "m2e", "最多 24 字"),
        ("mask2", "[b]粗[/b]", "m2e", "不能有"),
        ("mask2", "——", "m2e", "要有字"),
        ("title", " ", "title-e", "还没有剧名"),
        ("hash_until", "2026-11-23T08:00", "hash_until-e", "已经过去"),
        ("hash_until", "明天", "hash_until-e", "几时为止"),
        ("deal_at", "2026-11-23T17:00", "deal_at-e", "在添签截止之后"),
        ("pace", "0", "pace-e", "1 到"),
        ("pace", "快", "pace-e", "1 到"),
        ("fellows", "没有这个人", "fellows-e", "没有叫"),
        ("o.tie_break_scope", "随便", "", "没有这个选法"),
    ],
)
def test_a_fault_is_said_at_its_field_and_nothing_typed_is_lost(director: Account, field: str, value: str, where: str, said: str) -> None:
    before = Game.objects.count()
    page = client("director").post(ROUTE, form(**{field: value, "script": "写了很久的剧本"}))
    text = page.content.decode()
    assert page.status_code == 422 and Game.objects.count() == before
    if where:
        fault = re.search(f'<p class="error" id="{where}">.*?</p>', text, re.DOTALL)
        assert fault is not None and said in fault.group()
        assert f'aria-describedby="{where}"' in text or f' {where}"' in text
    assert said in text and "写了很久的剧本" in text and NAMES[0] in text
    if field == "title":
        return
    assert 'value="第七封信"' in text


def test_names_that_look_alike_are_one_name() -> None:
    assert masks.faults(["雾哨", "雾 哨", "ＡＢＣ", "abc"], True).keys() == {2, 4}
    assert not masks.faults(["", "雾哨"], False)
    assert masks.faults(["", "雾哨"], True).keys() == {1}
    drawn = masks.suggest(10, ["雾哨", "候鸟"])
    assert len(set(drawn)) == 10 and not {"雾哨", "候鸟"} & set(drawn) and not masks.faults(drawn, True)
    assert not masks.faults(masks.SUGGESTED, True)


def test_another_board_keeps_what_was_typed(director: Account) -> None:
    browser = client("director")
    before = Game.objects.count()
    page = browser.post(ROUTE, form(board="m46")).content.decode()
    assert 'name="o.oppose_piper"' in page and 'name="mask14"' in page and "第七封信" in page and NAMES[9] in page
    page = browser.post(ROUTE, form(version="m205-2026-summer", do="board")).content.decode()
    assert load("m205-2026-summer").hash[:4] in page
    page = browser.post(ROUTE, form(do="names", mask3="", mask4="")).content.decode()
    assert re.search(r'name="mask3" value="[^"]+"', page) and re.search(r'name="mask4" value="[^"]+"', page)
    page = browser.post(ROUTE, form(do="preview", deal_at="2026-11-26T21:00", hash_until="2026-11-26T12:00")).content.decode()
    assert "周五 27" in page
    assert Game.objects.count() == before


def test_every_board_can_be_opened(director: Account) -> None:
    for name in bundled():
        assert client("director").get(f"/open/?ruleset={name}").status_code == 200
        game = opening.open_game(director, plan(name, personas=[Mask(f"{name}之{n}") for n in range(load(name).ruleset.seats)]), time.now())
        assert game.seats == load(name).ruleset.seats


def test_the_calendar_is_shown_with_every_window(clock: Clock) -> None:
    loaded = load("m205")
    shown = calendar.preview(loaded, {"weekend": "extend"}, moment(2, 21), "Asia/Shanghai", 1, "zh")
    names = [row.name for row in shown.rows]
    assert names[:7] == ["周二 24", "周三 25", "周四 26", "周五 27", "周六 28", "周日 29", "周一 30"]
    assert [bar.text for bar in shown.rows[0].bars] == ["认亲"]
    assert "一日 · 竞选" in shown.rows[1].bars[0].text and shown.rows[2].bars[0].text == "二日 · 放逐"
    assert "关门顺延" in shown.rows[4].bars[0].text and "续" in shown.rows[5].bars[0].text  # Saturday's close moves to Sunday
    assert [(w.opens, w.limit) for w in shown.windows] == [("21:00", "21:30"), ("21:30", "22:00")]
    assert "杀人" in shown.windows[0].skills and "预言" in shown.windows[1].skills
    assert shown.opens == "11 月 25 日 9:00"


def test_a_game_that_starts_at_night_has_a_night_before_day_one(clock: Clock) -> None:
    loaded = load("m46")
    deal = moment(2, 15)
    pace = calendar.pace_of(loaded.ruleset, {}, deal, "Asia/Shanghai", 1)
    ends = calendar.setup_end(loaded.ruleset, {}, pace.minute(deal))
    assert pace.moment(ends) == moment(2, 21)
    assert pace.moment(calendar.first_opening(loaded.ruleset, {}, ends)) == moment(3, 9)


def test_a_fast_game_begins_so_that_setup_ends_at_an_opening(clock: Clock) -> None:
    rules = load("m205").ruleset
    deal = moment(2, 14, 37)
    pace = calendar.pace_of(rules, {}, deal, "Asia/Shanghai", 144)
    ends = calendar.setup_end(rules, {}, pace.minute(deal))
    assert ends % 1440 == 9 * 60 and pace.moment(ends) - deal == timedelta(minutes=360 / 144)


# --- pictures --------------------------------------------------------------------------------------------------------


def image(size: tuple[int, int] = (300, 200), format: str = "PNG", **more: Any) -> bytes:
    """A picture file."""
    out = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(out, format, **more)
    return out.getvalue()


def test_a_picture_is_encoded_anew(director: Account) -> None:
    game = opening.open_game(director, plan(), time.now())
    browser = client("director")
    exif = Image.Exif()
    exif[0x010E] = "shot at home"
    file = io.BytesIO(image(format="JPEG", exif=exif.tobytes()))
    file.name = "face.jpg"
    assert browser.post(f"/g/{game.pk}/picture/", {"seat": "2", "picture": file}).status_code == 302
    served = client("").get(f"/g/{game.pk}/avatar/2/")
    with Image.open(io.BytesIO(served.content)) as kept:
        assert (kept.format, kept.size) == ("PNG", (96, 96)) and not kept.getexif() and not kept.info
    assert b"home" not in served.content
    assert client("").get(f"/g/{game.pk}/avatar/3/").status_code == 404
    assert f'src="/g/{game.pk}/avatar/2/"' in client("").get(f"/g/{game.pk}/signup/").content.decode()
    opening.edit(Table(game, director), plan(title="改名"))  # the list is written anew; the picture stays
    assert client("").get(f"/g/{game.pk}/avatar/2/").status_code == 200
    browser.post(f"/g/{game.pk}/picture/", {"seat": "2", "do": "remove"})
    assert client("").get(f"/g/{game.pk}/avatar/2/").status_code == 404


def test_bad_pictures_are_refused_with_a_sentence(director: Account) -> None:
    frames = [Image.new("RGB", (64, 64), (shade, 0, 0)) for shade in (0, 90, 180)]
    moving = io.BytesIO()
    frames[0].save(moving, "WEBP", save_all=True, append_images=frames[1:])
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    bad = {
        "1 MB": b"x" * (avatars.MOST_BYTES + 1),
        "400 万像素": image((3000, 2000)),
        "每边至少": image((20, 300)),
        "动图": moving.getvalue(),
        "不是能读": svg,
        "换一张": image()[:90],
        "PNG、JPEG": image(format="GIF"),
    }
    for said, data in bad.items():
        with pytest.raises(Denied, match=said):
            avatars.clean(data)
    game = opening.open_game(director, plan(), time.now())
    file = io.BytesIO(svg)
    file.name = "x.png"
    page = client("director").post(f"/g/{game.pk}/picture/", {"seat": "1", "picture": file})
    assert page.status_code == 422 and "不是能读" in page.content.decode()
    assert Persona.objects.get(game=game, seat=1).avatar is None


# --- sign-up ---------------------------------------------------------------------------------------------------------


def test_sign_up_needs_the_rules_to_be_acknowledged(director: Account) -> None:
    known("newcomer")
    game = opening.open_game(director, plan(), time.now())
    browser = client("newcomer")
    assert "普狼10人场" in browser.get(f"/g/{game.pk}/signup/").content.decode()
    sent = {"kind": "player", "words": "第一次", "history": "2", "read1": "1", "read2": "1"}
    page = browser.post(f"/g/{game.pk}/signup/", sent)
    assert page.status_code == 422 and "先读规则" in page.content.decode() and "第一次" in page.content.decode()
    assert browser.post(f"/g/{game.pk}/signup/", sent | {"read3": "1"}).status_code == 302
    mine = Signup.objects.get(game=game)
    assert (mine.kind, mine.acknowledged, mine.words, mine.history) == ("player", True, "第一次", 2)
    assert browser.post(f"/g/{game.pk}/signup/", {"do": "withdraw"}).status_code == 302
    assert not Signup.objects.filter(game=game).exists()
    with pytest.raises(Denied, match="导演不上场"):
        opening.sign_up(game, director, "player", True)
    closed = opening.open_game(director, plan(spectators=False), time.now())
    with pytest.raises(Denied, match="不设旁观"):
        opening.sign_up(closed, known("newcomer"), "spectator", True)
    assert client("").post(f"/g/{game.pk}/signup/", sent).status_code == 302
    assert not Signup.objects.filter(game=game).exists()


def test_no_account_is_named_to_players(director: Account) -> None:
    game = opening.open_game(director, plan(fellows=["director2"]), time.now())
    for number in range(1, 13):
        opening.sign_up(game, known(f"player{number}"), "player" if number < 11 else "reserve", True, now=time.now())
    for path in ("signup/", "deal/", "rules/", ""):
        shown = client("player3").get(f"/g/{game.pk}/{path}").content.decode()
        names = [name for name in Account.objects.values_list("username", flat=True) if name not in ("player3", "director")]
        assert [name for name in names if re.search(rf"\b{name}\b", shown)] == []
    assert client("player3").get(f"/g/{game.pk}/people/").status_code == 404
    assert "player7" in client("director").get(f"/g/{game.pk}/people/").content.decode()


def test_other_rules_have_to_be_acknowledged_again(director: Account) -> None:
    game = opening.open_game(director, plan(), time.now())
    table = Table(game, director)
    someone = known("player1")
    opening.sign_up(game, someone, "player", True, now=time.now())
    opening.choose(table, [someone.pk])
    opening.edit(table, plan(note="只改一句话"))
    assert Signup.objects.get(game=game).acknowledged
    opening.edit(table, plan(options={"tie_break_scope": "literal"}))
    assert not Signup.objects.get(game=game).acknowledged
    assert "规则改过" in client("player1").get(f"/g/{game.pk}/signup/").content.decode()
    with pytest.raises(Denied, match="没有重新确认"):
        opening.choose(table, [someone.pk])


def test_sign_up_closes_only_when_all_is_there(director: Account) -> None:
    game = opening.open_game(
        director, plan(personas=[Mask(name, approved=seat != 4) for seat, name in enumerate(NAMES[:10], 1)]), time.now()
    )
    table = Table(game, director)
    people = [known(f"player{number}") for number in range(1, 12)]
    for one in people:
        opening.sign_up(game, one, "player", True, now=time.now())
    with pytest.raises(Denied, match="选了 11 人"):
        opening.choose(table, [one.pk for one in people])
    opening.choose(table, [one.pk for one in people[:9]])
    with pytest.raises(Denied, match="要正好 10 人"):
        opening.close_signup(table)
    opening.choose(table, [one.pk for one in people[:10]])
    with pytest.raises(Denied, match="4 号“提词人”"):
        opening.close_signup(table)
    opening.approve_all(table)
    with pytest.raises(Denied, match="已经过去"):
        opening.close_signup(Table(game, director, moment(1, 19)))
    assert opening.close_signup(table).status == "ceremony"
    with pytest.raises(Denied, match="已经截止"):
        opening.close_signup(table)
    with pytest.raises(Denied, match="不能再改"):
        opening.edit(table, plan())
    with pytest.raises(Denied, match="头像不能再换"):
        opening.picture(table, 1, image())
    with pytest.raises(Denied, match="只有本局导演"):
        opening.choose(Table(game, people[0]), [])


def test_a_game_is_cloned_into_the_next_season(director: Account) -> None:
    game = opening.open_game(director, plan(options={"tie_break_scope": "literal"}, script="旧剧本", fellows=["director2"]), time.now())
    opening.picture(Table(game, director), 5, image())
    answer = client("director2").post(f"/g/{game.pk}/clone/")
    new = Game.objects.latest("pk")
    assert answer.headers["Location"] == f"/g/{new.pk}/edit/"
    assert (new.status, new.cloned_from_id, new.script, new.journal) == ("draft", game.pk, "旧剧本", None)
    assert new.options["tie_break_scope"] == "literal" and new.start > time.now() + timedelta(days=6)
    assert [persona.name for persona in Persona.objects.filter(game=new)] == NAMES[:10]
    assert not Persona.objects.filter(game=new, approved=True).exists()
    assert Persona.objects.get(game=new, seat=5).avatar is not None
    assert list(Directing.objects.filter(game=new).values_list("account__username", "number")) == [("director2", 1), ("director", 2)]
    assert client("player1").post(f"/g/{game.pk}/clone/").status_code == 404


def test_faults_say_them_all(director: Account) -> None:
    with pytest.raises(Faults) as refusal:
        opening.open_game(director, plan(title="", pace=0), time.now())
    assert set(refusal.value.at) == {"title", "pace"} and "2 处" in refusal.value.zh


# --- the rules page --------------------------------------------------------------------------------------------------


def test_the_rules_page_shows_options_in_force_and_the_hash(director: Account) -> None:
    game = opening.open_game(director, plan(options={"tie_break_scope": "literal"}), time.now())
    shown = client("").get(f"/g/{game.pk}/rules/").content.decode()
    digest = load("m205").hash
    assert " ".join(digest[at : at + 4] for at in range(0, 64, 4)) in shown
    assert "本场改动" in shown and 'id="rulings"' in shown and 'id="revisions"' in shown and 'id="diff"' in shown
    assert shown.count("<h1") == 1
    assert "本场改动" not in client("").get("/rules/m205/").content.decode()
    assert client("").get("/rules/none/").status_code == 404
    copied = client("").get("/rules/m46/?as=bbcode")
    assert copied.headers["Content-Type"].startswith("text/plain") and "[b]" in copied.content.decode()
    for name in bundled():
        assert client("").get(f"/rules/{name}/").status_code == 200
