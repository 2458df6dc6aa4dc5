"""Cases of changing the past: edit the last question, ask it again, choose a model; and of what a question may hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from chat_models import Turn
from tests.cases.case import Case, checked, dispatch, of_type
from tests.cases.hitl import asks, interrupts, refusal, still_open
from tests.cases.test_history import talk, user
from tests.fakes.a2a_stub import Reply
from tests.fakes.agui import run_input, text_of

requirement = pytest.mark.requirement


def edit(target: str, message: dict[str, Any], run: str = "edit") -> Any:
    """A request that replaces the last question."""
    props = {"command": "edit-last", "targetMessageId": target}
    return run_input(None, run=run, messages=[message], forwardedProps=props)


def again(run: str = "again") -> Any:
    """A request that asks the last question once more."""
    return run_input(None, run=run, forwardedProps={"command": "regenerate"})


@requirement("SB-EDIT-01")
@pytest.mark.parametrize("new_id", ["u2", "u3"], ids=["same id", "new id"])
async def test_an_edited_question_replaces_the_old_one_and_all_that_followed(new_id: str, tmp_path: Path) -> None:
    case = Case("一", dispatch(("canteen", "x"), text="我查"), "二", "三", tmp_path=tmp_path)
    async with case.open() as house:
        checked(await house.post("/agui", run_input("1")))
        checked(await house.post("/agui", run_input("2", message="u2", run="r2")))
        found = checked(await house.post("/agui", edit("u2", user(new_id, "2!"))))
        assert [e["type"] for e in found][:2] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
        assert talk(found[1]["messages"]) == [("user", "1"), ("assistant", "一"), ("user", "2!")]
        assert text_of(found) == "三"
        assert [m.text for m in case.saw[-1]] == ["1", "一", "2!"]
    async with case.open() as house:
        held = await house.snapshot()
        assert talk(held) == [("user", "1"), ("assistant", "一"), ("user", "2!"), ("assistant", "三")]
        assert held[2]["id"] == new_id


@requirement("SB-EDIT-02")
async def test_an_edit_that_is_sent_again_replays_its_run() -> None:
    case = Case("一", "二", "三")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("1")))
        first = await house.post("/agui", edit("u1", user("u2", "1!")))
        assert (await house.post("/agui", edit("u1", user("u2", "1!"), run="e2"))).content == first.content
    assert len(case.saw) == 2


@requirement("SB-EDIT-03")
async def test_only_the_last_question_can_be_edited() -> None:
    case = Case("一", "二", "三")
    async with case.open() as house:
        for n in "12":
            checked(await house.post("/agui", run_input(n, message=f"u{n}", run=f"r{n}")))
        before = await house.snapshot()
        for target in ("u1", before[1]["id"], "nobody"):
            assert refusal(await house.post("/agui", edit(target, user("u9", "x"))))[:2] == (409, "not_last_message")
        assert await house.snapshot() == before
    assert len(case.saw) == 2


@requirement("SB-EDIT-04", "SB-REGEN-02")
async def test_an_edit_or_a_second_try_under_an_open_question_withdraws_it() -> None:
    case = Case(asks(), "好", asks(), "又好")
    async with case.open() as house:
        interrupts(checked(await house.post("/agui", run_input("1"))))
        found = checked(await house.post("/agui", edit("u1", user("u2", "1!"))), resumed=True)
        assert text_of(found) == "好"
        assert await still_open(house) == []
        interrupts(checked(await house.post("/agui", run_input("3", message="u3", run="r3"))))
        assert text_of(checked(await house.post("/agui", again()), resumed=True)) == "又好"
        assert await still_open(house) == []
        assert talk(await house.snapshot()) == [
            ("user", "1!"), ("assistant", "好"), ("user", "3"), ("assistant", "又好"),
        ]  # fmt: skip


@requirement("SB-EDIT-06")
async def test_an_edit_under_an_open_question_begins_with_the_snapshot_too() -> None:
    async with Case(asks(), "好").open() as house:
        interrupts(checked(await house.post("/agui", run_input("1"))))
        found = checked(await house.post("/agui", edit("u1", user("u2", "1!"))), resumed=True)
        assert [e["type"] for e in found][:2] == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]


@requirement("SB-REGEN-01")
async def test_a_second_try_gives_one_new_answer_in_place_of_the_old_one() -> None:
    case = Case(dispatch(("canteen", "x")), "一", "二")
    async with case.open() as house:
        checked(await house.post("/agui", run_input("1")))
        found = checked(await house.post("/agui", again()))
        assert talk(found[1]["messages"]) == [("user", "1")]
        assert text_of(found) == "二"
        assert talk(await house.snapshot()) == [("user", "1"), ("assistant", "二")]
        assert [m.text for m in case.saw[-1]] == ["1"]


@requirement("SB-REGEN-03")
async def test_a_second_try_after_a_failed_run_answers_the_question() -> None:
    case = Case(Turn("半", error="boom", error_after=1), "好")
    async with case.open() as house:
        assert checked(await house.post("/agui", run_input("1")))[-1]["type"] == "RUN_ERROR"
        assert text_of(checked(await house.post("/agui", again()))) == "好"
        assert talk(await house.snapshot()) == [("user", "1"), ("assistant", "好")]


@requirement("SB-REGEN-04")
async def test_a_second_try_needs_a_question_and_a_thread_that_is_free() -> None:
    gate = asyncio.Event()
    case = Case(dispatch(("canteen", "x")), "好")
    case.canteen.replies.append(Reply("x", gate=gate))
    async with case.open() as house:
        refused = refusal(await house.post("/agui", again()))
        assert refused[0] in (404, 409)
        run = asyncio.create_task(house.post("/agui", run_input("1")))
        await case.canteen.received()
        assert refusal(await house.post("/agui", again()))[:2] == (409, "thread_busy")
        gate.set()
        checked(await run)


@requirement("SB-EDIT-05")
async def test_the_same_id_with_other_words_is_no_edit_unless_it_says_so() -> None:
    async with Case("一", "二").open() as house:
        checked(await house.post("/agui", run_input("1")))
        assert refusal(await house.post("/agui", run_input("1!")))[:2] == (409, "message_conflict")
        assert text_of(checked(await house.post("/agui", edit("u1", user("u1", "1!"))))) == "二"


@requirement("SB-MODEL-01")
async def test_a_model_is_chosen_in_the_first_run_and_by_a_known_name_only() -> None:
    async with Case("一", "二").open() as house:
        props = {"model": "nobody"}
        refused = await house.post("/agui", run_input("1", forwardedProps=props))
        assert refusal(refused)[:2] == (422, "unknown_model")
        assert isinstance(refused.json()["models"], list)
        checked(await house.post("/agui", run_input("1")))
        later = await house.post("/agui", run_input("2", message="u2", forwardedProps=props))
        assert refusal(later)[:2] == (409, "model_fixed")


PICTURE = {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}}
LINK = {"type": "document", "source": {"type": "url", "value": "https://example.edu/a.pdf"}}


@requirement("SB-ATTACH-01", "AGUI-INPUT-04")
async def test_a_question_may_hold_pictures_and_files_and_a_refresh_gives_them_back(tmp_path: Path) -> None:
    case = Case("好看", "再见", tmp_path=tmp_path)
    content = [{"type": "text", "text": "这是什么？"}, PICTURE, LINK]
    async with case.open() as house:
        asked = run_input(None, messages=[{"id": "u1", "role": "user", "content": content}])
        assert text_of(checked(await house.post("/agui", asked))) == "好看"
        checked(await house.post("/agui", run_input("谢谢", message="u2", run="r2")))
    async with case.open() as house:
        held = (await house.snapshot())[0]["content"]
        assert held == content
        assert "这是什么？" in case.saw[0][0].text


@requirement("SB-ATTACH-02")
@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"type": "hologram"}, id="unknown kind"),
        pytest.param({"type": "image"}, id="no source"),
        pytest.param({"type": "image", "source": {"type": "url", "value": "file:///etc/passwd"}}, id="local file"),
        pytest.param({"type": "image", "source": {"type": "data", "value": "%", "mimeType": "a/b"}}, id="no base64"),
        pytest.param("text", id="no object"),
    ],
)
async def test_a_part_that_is_none_is_refused_in_words(part: Any) -> None:
    case = Case("好")
    async with case.open() as house:
        message = {"id": "u1", "role": "user", "content": [{"type": "text", "text": "x"}, part]}
        response = await house.post("/agui", run_input(None, messages=[message]))
        assert response.status_code == 422
        assert response.json()["code"] in ("invalid_input", "unsupported_content")
        assert not case.saw


@requirement("SB-ATTACH-03")
async def test_an_edit_may_take_a_picture_away() -> None:
    case = Case("一", "二")
    async with case.open() as house:
        content = [{"type": "text", "text": "看"}, PICTURE]
        checked(await house.post("/agui", run_input(None, messages=[{"id": "u1", "role": "user", "content": content}])))
        found = checked(await house.post("/agui", edit("u1", user("u2", "没有图"))))
        assert of_type(found, "MESSAGES_SNAPSHOT")[0]["messages"][0]["content"] == "没有图"
        assert "aGk=" not in repr(case.saw[-1])
