"""Rewriting the last question and asking for another answer on the chat page in Chromium, against scripted answers."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, Page, expect

from tests.e2e.page_browser import IN_BROWSER, new_page, shoot_everywhere
from tests.e2e.page_stub import ADDRESS, StubServer, finished, refused, restored, stream, text

pytestmark = IN_BROWSER

CALL = {"id": "c1", "type": "function", "function": {"name": "call_domain_agent", "arguments": "{}"}}
FIRST: list[dict[str, Any]] = [
    {"id": "u1", "role": "user", "content": "hello"},
    {"id": "a1", "role": "assistant", "content": "Hello!"},
]
TALK: list[dict[str, Any]] = [
    *FIRST,
    {"id": "u2", "role": "user", "content": "which canteen?"},
    {"id": "a2", "role": "assistant", "toolCalls": [CALL]},
    {"id": "t2", "role": "tool", "toolCallId": "c1", "content": "{}"},
    {"id": "a3", "role": "assistant", "content": "North."},
]


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """A run that first says what the conversation is now."""
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [*FIRST, question]}
    return stream(snapshot, *text("South.", "a9"), finished())


async def talking(browser: Browser, *answers: dict[str, Any]) -> tuple[Page, StubServer]:
    page, _ = await new_page(browser)
    server = StubServer(answers=list(answers), connects=[restored(TALK)])
    await server.install(page)
    await page.goto(ADDRESS)
    await expect(page.get_by_test_id("message-user")).to_have_count(2)
    await expect(page.get_by_test_id("send")).to_be_visible()
    return page, server


async def test_the_last_question_is_rewritten_in_place(browser: Browser) -> None:
    page, server = await talking(browser, answer({"id": "u2", "role": "user", "content": "which bus?"}))
    await expect(page.get_by_test_id("edit")).to_have_count(1)
    await shoot_everywhere(page, "edit-offered")
    await page.get_by_role("button", name="Edit the question").click()
    box = page.get_by_role("textbox", name="Edit the question")
    await expect(box).to_be_focused()
    await expect(box).to_have_value("which canteen?")
    await shoot_everywhere(page, "edit-open")
    await box.fill("which bus?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("message-user")).to_have_text(["hello", "which bus?"])
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["Hello!", "South."])
    sent = server.asked[0]
    assert sent["forwardedProps"] == {"command": "edit-last", "targetMessageId": "u2"}
    assert [m["id"] for m in sent["messages"][:-1]] == ["u1", "a1"]
    assert sent["messages"][-1]["content"] == "which bus?"
    assert sent["messages"][-1]["id"] not in {"u1", "u2"}


async def test_rewriting_can_be_given_up_and_empty_words_are_not_sent(browser: Browser) -> None:
    page, server = await talking(browser)
    for give_up in (page.get_by_test_id("cancel-edit").click, lambda: page.keyboard.press("Escape")):
        await page.get_by_test_id("edit").click()
        await page.get_by_role("textbox", name="Edit the question").fill("  ")
        await page.keyboard.press("Enter")
        await give_up()
        await expect(page.get_by_test_id("editor")).to_have_count(0)
    await expect(page.get_by_test_id("message-user")).to_have_text(["hello", "which canteen?"])
    assert server.asked == []


async def test_a_refused_rewrite_leaves_the_conversation_as_it_was_and_keeps_the_words(browser: Browser) -> None:
    no = refused(409, "not_last_message", "Only the last question can be changed.")
    page, _ = await talking(browser, no)
    await page.get_by_test_id("edit").click()
    await page.get_by_role("textbox", name="Edit the question").fill("which bus?")
    await page.get_by_test_id("save").dblclick()
    await expect(page.get_by_test_id("error")).to_contain_text("Only the last question can be changed.")
    await expect(page.get_by_role("textbox", name="Edit the question")).to_have_value("which bus?")
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["Hello!", "North."])


async def test_another_answer_replaces_everything_after_the_last_question(browser: Browser) -> None:
    page, server = await talking(browser, answer(TALK[2]))
    await page.get_by_role("button", name="Answer again").dblclick()
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["Hello!", "South."])
    await expect(page.get_by_test_id("message-user")).to_have_text(["hello", "which canteen?"])
    assert len(server.asked) == 1
    assert server.asked[0]["forwardedProps"] == {"command": "regenerate"}
    assert [m["id"] for m in server.asked[0]["messages"]] == ["u1", "a1", "u2"]


async def test_a_refused_second_answer_leaves_the_first(browser: Browser) -> None:
    page, _ = await talking(browser, refused(409, "nothing_to_regenerate", "There is no question to answer again."))
    await page.get_by_test_id("regenerate").click()
    await expect(page.get_by_test_id("error")).to_contain_text("There is no question to answer again.")
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["Hello!", "North."])


async def test_trying_again_after_a_failed_run_answers_the_same_question(browser: Browser) -> None:
    failed = stream(*text("Sou")[:2], {"type": "RUN_ERROR", "message": "No.", "code": "LLM_UNREACHABLE"})
    page, server = await talking(browser, failed, answer({"id": "u3", "role": "user", "content": "which bus?"}))
    await page.get_by_test_id("composer").fill("which bus?")
    await page.keyboard.press("Enter")
    await page.get_by_test_id("error").get_by_role("button").click()
    await expect(page.get_by_test_id("message-assistant")).to_have_text(["Hello!", "South."])
    await expect(page.get_by_test_id("message-user").last).to_have_text("which bus?")
    assert server.asked[1]["forwardedProps"] == {"command": "regenerate"}


async def test_the_agents_of_an_answer_that_was_replaced_are_forgotten(browser: Browser) -> None:
    def run(name: str) -> list[dict[str, Any]]:
        agent = {"subagentRunId": name, "name": "canteen"}
        return [
            {
                "type": "TOOL_CALL_START",
                "toolCallId": "c1",
                "toolCallName": "call_domain_agent",
                "parentMessageId": "a2",
            },
            {"type": "TOOL_CALL_END", "toolCallId": "c1"},
            {"type": "SUBAGENT_STARTED", **agent, "parentToolCallId": "c1"},
            {"type": "SUBAGENT_FINISHED", **agent, "outcome": {"type": "success"}},
            {"type": "TOOL_CALL_RESULT", "messageId": "t2", "toolCallId": "c1", "content": "{}"},
        ]

    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": [*FIRST, TALK[2]]}
    once = stream(snapshot, *run("s1"), *text("South.", "a9"), finished())
    again = stream(snapshot, *run("s2"), *text("South.", "a9"), finished())
    page, _ = await talking(browser, once, again)
    for _ in range(2):
        await page.get_by_test_id("regenerate").click()
        await expect(page.get_by_test_id("message-assistant").last).to_have_text("South.")
        await expect(page.get_by_test_id("subagent")).to_have_count(1)
