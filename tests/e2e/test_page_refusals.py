"""Answers that the server refuses, on the chat page in Chromium: its words are shown and nothing typed is lost."""

from __future__ import annotations

from playwright.async_api import Page, expect

from tests.e2e.page_browser import IN_BROWSER, card, shoot_everywhere
from tests.e2e.page_stub import (
    ADDRESS,
    DONE,
    StubServer,
    asked_by,
    booked,
    question,
    refused,
    resolved,
    restored,
    stream,
)

pytestmark = IN_BROWSER

INPUT = question("i1", {"type": "input", "message": "How many people?"})
MODAL = question("i4", {"type": "modal", "title": "Send it?", "body": "Two portions.", "actions": ["Send", "Not yet"]})


async def test_a_refused_answer_shows_the_servers_words_and_keeps_what_was_typed(page: Page) -> None:
    words = "The answer must be a number."
    no = refused(409, "INVALID_RESUME", words, reason="bad_payload", interruptId="i1", interrupts=[INPUT, MODAL])
    server = await asked_by(page, INPUT, MODAL, then=[no, DONE])
    await page.get_by_role("button", name="Not yet").click()
    field = page.get_by_role("textbox", name="How many people?")
    await field.fill("four")
    await page.keyboard.press("Enter")
    await expect(card(page, "How many people?").get_by_role("alert")).to_have_text(words)
    await expect(field).to_have_value("four")
    await expect(field).to_be_focused()
    await expect(page.locator("[data-id=i4]")).to_contain_text("Not yet")
    await shoot_everywhere(page, "question-refused")
    await field.fill("4")
    await page.keyboard.press("Enter")
    await booked(page)
    assert server.asked[2]["resume"] == [resolved("i1", {"value": "4"}), resolved("i4", {"action": "Not yet"})]


async def test_a_refusal_that_names_no_question_opens_every_card_again(page: Page) -> None:
    server = await asked_by(page, INPUT, MODAL, then=[refused(422, "invalid_input", "`resume` is malformed."), DONE])
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Not yet").click()
    await expect(page.get_by_test_id("question")).to_have_count(2)
    await expect(page.get_by_role("alert")).to_have_text("`resume` is malformed.")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Not yet").click()
    await booked(page)
    assert server.asked[1]["resume"] == server.asked[2]["resume"]


async def test_a_refusal_as_expired_leaves_only_cancel(page: Page) -> None:
    no = refused(409, "INVALID_RESUME", "Too late.", reason="expired", interruptId="i1", interrupts=[INPUT])
    await asked_by(page, INPUT, then=[no, DONE])
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("refusal")).to_have_text("Too late.")
    await expect(page.get_by_role("textbox", name="How many people?")).to_have_count(0)
    await page.get_by_test_id("cancel").click()
    await booked(page)


async def test_a_question_answered_elsewhere_is_explained_and_the_thread_brought_up_to_date(page: Page) -> None:
    no = refused(409, "INVALID_RESUME", "It was answered already.", reason="stale", interruptId="i1", interrupts=[])
    server = await asked_by(page, INPUT, then=[no])
    said = [
        {"id": "u", "role": "user", "content": "book a table"},
        {"id": "a", "role": "assistant", "content": "Booked."},
    ]
    server.connects.append(restored(said))
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await booked(page)
    await expect(page.get_by_test_id("error")).to_contain_text("It was answered already.")
    await expect(page.get_by_test_id("composer")).to_be_enabled()


async def test_a_question_opened_elsewhere_is_shown_and_the_refused_words_go_back_to_the_composer(page: Page) -> None:
    no = refused(409, "interrupt_pending", "Answer the open question first.", interrupts=[INPUT])
    server = StubServer(answers=[no, DONE])
    await server.install(page)
    await page.goto(ADDRESS)
    await expect(page.get_by_test_id("send")).to_be_visible()
    await page.get_by_test_id("composer").fill("and a bus?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="How many people?")).to_be_focused()
    await expect(page.get_by_test_id("composer")).to_have_value("and a bus?")
    await expect(page.get_by_test_id("message-user")).to_have_count(0)
    await expect(page.get_by_test_id("error")).to_have_count(0)
    await page.keyboard.type("4")
    await page.keyboard.press("Enter")
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i1", {"value": "4"})]
    assert server.asked[1]["messages"] == []


async def test_answers_that_come_while_another_tab_answers_give_way_to_its_answers(page: Page) -> None:
    asked = {**INPUT, "toolCallId": "c1"}
    server = await asked_by(page, asked, then=[refused(409, "thread_busy", "A run is going on.", runId="r9")])
    function = {"name": "ask_input", "arguments": '{"message": "How many people?"}'}
    server.connects.append(
        restored(
            [
                {"id": "u", "role": "user", "content": "book a table"},
                {"id": "a", "role": "assistant", "toolCalls": [{"id": "c1", "type": "function", "function": function}]},
                {
                    "id": "m",
                    "role": "tool",
                    "toolCallId": "c1",
                    "content": '{"status":"answered","answer":{"value":"5"}}',
                },
                {"id": "b", "role": "assistant", "content": "Booked."},
            ]
        )
    )
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await booked(page)
    await expect(page.get_by_test_id("answered")).to_have_text("How many people? 5")
    await expect(page.get_by_test_id("error")).to_have_count(0)


async def test_answers_that_the_network_lost_are_sent_again_as_they_were(page: Page) -> None:
    server = await asked_by(page, INPUT)
    await page.route("**/agui", lambda route: route.abort(), times=1)
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("error")).to_contain_text("cannot be reached")
    await expect(page.get_by_test_id("answered")).to_contain_text("4")
    await page.get_by_test_id("error").get_by_role("button").click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i1", {"value": "4"})]


async def test_a_failure_after_the_answers_asks_the_server_what_is_still_open(page: Page) -> None:
    failed = stream({"type": "RUN_ERROR", "message": "Try again.", "code": "LLM_UNREACHABLE"})
    server = await asked_by(page, INPUT, then=[failed, DONE])
    server.connects.append(restored([{"id": "u", "role": "user", "content": "book a table"}], INPUT))
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("error")).to_contain_text("language model cannot be reached")
    await expect(page.get_by_role("textbox", name="How many people?")).to_have_value("4")
    await expect(page.get_by_test_id("answered")).to_have_count(0)
