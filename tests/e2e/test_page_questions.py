"""Question cards of the chat page in Chromium, against scripted answers: what each card says, collects and sends."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.e2e.page_browser import IN_BROWSER, ask, card, press, shoot_everywhere
from tests.e2e.page_stub import (
    ADDRESS,
    StubServer,
    asked_by,
    booked,
    finished,
    question,
    resolved,
    restored,
    stream,
)

pytestmark = IN_BROWSER

SOUTH = {"value": "south", "label": "South", "description": "Quiet, but far from the library"}
BILL = {"amount": "24.50", "items": [{"dish": "mapo tofu", "portions": 2}], "payer": {"name": "<img src=x>"}}

INPUT = question("i1", {"type": "input", "message": "How many people?", "placeholder": "a number"})
SELECT = question("i2", {"type": "select", "message": "Which canteen?", "options": ["North", SOUTH]})
MULTI = question("i3", {"type": "multiSelect", "message": "What do you avoid?", "options": ["Peanuts", "Fish", "Pork"]})
MODAL = question("i4", {"type": "modal", "title": "Send it?", "body": "Two portions.", "actions": ["Send", "Not yet"]})
APPROVAL = question("i5", {"type": "approval", "message": "Pay the canteen?", "details": BILL})
UNLOCK = question("i6", {"type": "unlock", "message": "Log in to the card office", "key": "https://cards.test/login"})


async def test_an_input_takes_the_focus_and_is_answered_from_the_keyboard(page: Page) -> None:
    server = await asked_by(page, INPUT)
    field = card(page, "How many people?").get_by_role("textbox", name="How many people?")
    await expect(field).to_be_focused()
    await expect(field).to_have_attribute("placeholder", "a number")
    await shoot_everywhere(page, "question-input")
    await page.keyboard.press("Enter")
    assert len(server.asked) == 1, "an empty answer is none"
    await page.keyboard.type(" 4 ")
    await page.keyboard.press("Enter")
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i1", {"value": "4"})]
    await expect(page.get_by_test_id("composer")).to_be_focused()


async def test_a_select_is_a_radio_group_that_arrow_keys_move_in(page: Page) -> None:
    server = await asked_by(page, SELECT)
    group = page.get_by_role("radiogroup", name="Which canteen?")
    await expect(group.get_by_role("radio").first).to_be_focused()
    await expect(group).to_contain_text("Quiet, but far from the library")
    await page.keyboard.press("Space")
    await page.keyboard.press("ArrowDown")
    await expect(group.get_by_role("radio", name="South")).to_be_checked()
    await shoot_everywhere(page, "question-select")
    await page.keyboard.press("Enter")
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i2", {"value": "south"})]


async def test_a_select_without_a_choice_is_not_sent(page: Page) -> None:
    server = await asked_by(page, SELECT)
    await card(page, "Which canteen?").get_by_test_id("answer").click()
    await expect(card(page, "Which canteen?")).to_be_visible()
    assert len(server.asked) == 1


async def test_a_multi_select_sends_the_values_in_the_order_of_the_options(page: Page) -> None:
    server = await asked_by(page, MULTI)
    group = page.get_by_role("group", name="What do you avoid?")
    for name in ("Pork", "Fish", "Peanuts", "Fish"):
        await group.get_by_role("checkbox", name=name).click()
    await shoot_everywhere(page, "question-multi-select")
    await page.get_by_role("button", name="Answer", exact=True).click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i3", {"values": ["Peanuts", "Pork"]})]


async def test_a_multi_select_may_be_answered_with_nothing(page: Page) -> None:
    server = await asked_by(page, MULTI)
    await page.get_by_role("button", name="Answer", exact=True).click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i3", {"values": []})]


async def test_a_modal_is_answered_by_its_buttons(page: Page) -> None:
    server = await asked_by(page, MODAL)
    await expect(page.get_by_role("button", name="Send", exact=True).first).to_be_focused()
    await expect(card(page, "Send it?")).to_contain_text("Two portions.")
    await shoot_everywhere(page, "question-modal")
    await page.get_by_role("button", name="Not yet").click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i4", {"action": "Not yet"})]


async def test_an_approval_shows_its_details_as_text_and_takes_a_reason(page: Page) -> None:
    server = await asked_by(page, APPROVAL)
    details = card(page, "Pay the canteen?").locator("dl")
    await expect(details.locator("dt")).to_have_text(["amount", "items", "payer"])
    await expect(details.locator("dd")).to_have_text(["24.50", "dish: mapo tofu, portions: 2", "name: <img src=x>"])
    await expect(details.locator("img")).to_have_count(0)
    await shoot_everywhere(page, "question-approval")
    await page.get_by_role("textbox", name="Reason (optional)").fill("too dear")
    await page.keyboard.press("Enter")
    assert len(server.asked) == 1, "Enter in the reason must not decide"
    await page.get_by_role("button", name="Reject").click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i5", {"approved": False, "reason": "too dear"})]


async def test_an_approval_without_a_reason_sends_none(page: Page) -> None:
    server = await asked_by(page, APPROVAL)
    await page.get_by_role("button", name="Approve").click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i5", {"approved": True})]


async def test_an_unlock_links_to_what_is_to_be_opened(page: Page) -> None:
    server = await asked_by(page, UNLOCK)
    link = page.get_by_role("link", name="https://cards.test/login")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await shoot_everywhere(page, "question-unlock")
    await page.get_by_role("button", name="It is unlocked, go on").click()
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i6", {})]


async def test_an_unlock_key_with_another_scheme_is_no_link(page: Page) -> None:
    await asked_by(page, question("i6", {"type": "unlock", "message": "Open", "key": "javascript:alert(1)"}))
    await expect(card(page, "Open")).to_contain_text("javascript:alert(1)")
    await expect(page.get_by_role("link")).to_have_count(0)


async def test_several_questions_are_sent_together_once_the_last_is_answered(page: Page) -> None:
    server = await asked_by(page, INPUT, SELECT, MULTI, MODAL, APPROVAL, UNLOCK)
    await shoot_everywhere(page, "questions-six")
    await press(page, "Approve").click()
    # The focus went with the card that is gone, so it returns to the first that is open.
    await expect(page.get_by_role("textbox", name="How many people?")).to_be_focused()
    await page.keyboard.type("4")
    await page.keyboard.press("Enter")
    await expect(page.get_by_test_id("question")).to_have_count(4)
    await expect(page.get_by_role("radio", name="North")).to_be_focused()
    await card(page, "Send it?").get_by_role("button", name="Send", exact=True).click()
    await card(page, "Which canteen?").get_by_test_id("cancel").click()
    await card(page, "Log in to the card office").get_by_test_id("answer").click()
    await page.locator("[data-id=i1] [data-testid=change]").click()
    await expect(page.get_by_role("textbox", name="How many people?")).to_have_value("4")
    await page.get_by_role("textbox", name="How many people?").fill("5")
    await page.keyboard.press("Enter")
    await shoot_everywhere(page, "questions-one-left")
    assert len(server.asked) == 1
    await card(page, "What do you avoid?").get_by_test_id("answer").click()
    await booked(page)
    assert server.asked[1]["resume"] == [
        resolved("i1", {"value": "5"}),
        {"interruptId": "i2", "status": "cancelled"},
        resolved("i3", {"values": []}),
        resolved("i4", {"action": "Send"}),
        resolved("i5", {"approved": True}),
        resolved("i6", {}),
    ]
    assert len(server.asked) == 2


async def test_a_double_click_answers_once(page: Page) -> None:
    server = await asked_by(page, APPROVAL)
    await page.get_by_role("button", name="Approve").dblclick()
    await booked(page)
    assert len(server.asked) == 2


async def test_nothing_can_be_asked_while_a_question_is_open(page: Page) -> None:
    server = await asked_by(page, INPUT)
    composer = page.get_by_test_id("composer")
    await expect(composer).to_be_disabled()
    await expect(page.get_by_test_id("send")).to_be_disabled()
    await expect(composer).to_have_accessible_description("Answer or cancel the question above first.")
    await expect(page.get_by_test_id("edit")).to_have_count(0)
    await expect(page.get_by_test_id("regenerate")).to_have_count(0)
    await card(page, "How many people?").get_by_test_id("cancel").click()
    await booked(page)
    await expect(composer).to_be_enabled()
    await expect(page.get_by_test_id("blocked")).to_have_count(0)
    assert server.asked[1]["resume"] == [{"interruptId": "i1", "status": "cancelled"}]


async def test_a_question_that_has_expired_can_only_be_cancelled(page: Page) -> None:
    server = await asked_by(page, {**INPUT, "expiresAt": "2020-01-01T12:00:00Z"})
    form = card(page, "How many people?")
    await expect(form.get_by_test_id("expired")).to_have_text("This question has expired. It can only be cancelled.")
    await expect(form.get_by_role("textbox")).to_have_count(0)
    await expect(form.get_by_test_id("cancel")).to_be_focused()
    await shoot_everywhere(page, "question-expired")
    await form.get_by_test_id("cancel").click()
    await booked(page)
    assert server.asked[1]["resume"] == [{"interruptId": "i1", "status": "cancelled"}]


async def test_a_question_expires_under_the_readers_eyes(page: Page) -> None:
    await page.clock.install(time="2026-12-01T11:59:00Z")
    await asked_by(page, {**INPUT, "expiresAt": "2026-12-01T12:00:00Z"})
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.clock.fast_forward(61_000)
    await expect(page.get_by_test_id("expired")).to_be_visible()


async def test_an_answer_that_expires_before_it_is_sent_opens_its_card_again(page: Page) -> None:
    await page.clock.install(time="2026-12-01T11:59:00Z")
    server = await asked_by(page, {**INPUT, "expiresAt": "2026-12-01T12:00:00Z"}, MODAL)
    await page.get_by_role("textbox", name="How many people?").fill("4")
    await page.keyboard.press("Enter")
    await page.clock.fast_forward(61_000)
    await page.get_by_role("button", name="Not yet").click()
    await expect(page.get_by_test_id("expired")).to_be_visible()
    assert len(server.asked) == 1
    await card(page, "How many people?").get_by_test_id("cancel").click()
    await booked(page)


async def test_a_foreign_question_is_readable_and_answered_in_free_text(page: Page) -> None:
    schema = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
    foreign = question("i7", {"type": "seat-map", "message": "Where?", "rows": 3, "map": {"a": "<b>1</b>"}})
    server = await asked_by(page, {**foreign, "responseSchema": schema})
    await expect(card(page, "Where?")).to_contain_text("<b>1</b>")
    await shoot_everywhere(page, "question-foreign")
    await page.get_by_role("textbox", name="Where?").fill("by the window")
    await page.keyboard.press("Enter")
    await booked(page)
    assert server.asked[1]["resume"] == [resolved("i7", {"value": "by the window"})]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "object", "properties": {"value": {"type": "integer"}}},
        {"type": "object", "properties": {"seat": {"type": "string"}}, "required": ["seat"]},
        {"type": "object", "properties": {}, "additionalProperties": False},
    ],
)
async def test_a_foreign_question_that_wants_another_answer_can_be_cancelled(
    page: Page, schema: dict[str, Any]
) -> None:
    server = await asked_by(page, {**question("i7", {"value": {"rows": 3}}), "responseSchema": schema})
    form = card(page, "Your answer is needed")
    await expect(form).to_contain_text("rows")
    await expect(form.get_by_role("textbox")).to_have_count(0)
    await form.get_by_test_id("cancel").click()
    await booked(page)
    assert server.asked[1]["resume"] == [{"interruptId": "i7", "status": "cancelled"}]


async def test_a_question_without_options_is_treated_as_a_foreign_one(page: Page) -> None:
    await asked_by(page, question("i2", {"type": "select", "message": "Which?", "options": []}))
    await expect(card(page, "Which?").get_by_role("textbox")).to_be_focused()


async def test_an_agent_that_asks_back_waits_and_its_name_stands_on_the_card(page: Page) -> None:
    agent = {"subagentRunId": "s1", "name": "canteen"}
    begun = {"type": "SUBAGENT_STARTED", **agent, "parentToolCallId": "c1"}
    waits = {"type": "SUBAGENT_FINISHED", **agent, "outcome": {"type": "suspended", "interruptIds": ["i1"]}}
    call = [
        {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "call_domain_agent"},
        {"type": "TOOL_CALL_END", "toolCallId": "c1"},
    ]
    result = {"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "c1", "content": "{}"}
    asks = {**INPUT, "toolCallId": "c1", "subagentRunId": "s1"}
    again = stream(begun, waits, finished({**asks, "id": "i9"}))
    server = StubServer(answers=[stream(*call, begun, waits, finished(asks)), again, stream(result, finished())])
    await server.install(page)
    await page.goto(ADDRESS)
    await ask(page, "book a table")
    line = page.get_by_test_id("subagent")
    for answered in range(2):
        await expect(card(page, "How many people?")).to_contain_text("canteen")
        await expect(line).to_have_attribute("data-status", "waiting")
        await expect(page.get_by_test_id("answered")).to_have_count(answered)
        if not answered:
            await shoot_everywhere(page, "question-of-an-agent")
            await page.keyboard.type("4")
            await page.keyboard.press("Enter")
    await page.get_by_test_id("cancel").click()
    await expect(line).to_have_attribute("data-status", "stopped")
    await expect(page.get_by_test_id("answered")).to_have_text(["How many people? 4", "How many people? Cancelled"])


async def test_answers_stay_in_the_transcript_and_come_back_from_the_history(page: Page) -> None:
    arguments = '{"message": "How many people?"}'
    call = {"id": "c1", "type": "function", "function": {"name": "ask_input", "arguments": arguments}}
    result = {
        "id": "m1",
        "role": "tool",
        "toolCallId": "c1",
        "content": '{"status": "answered", "answer": {"value": "4"}}',
    }
    said = [
        {"id": "u", "role": "user", "content": "book a table"},
        {"id": "a", "role": "assistant", "toolCalls": [call]},
        result,
        {"id": "b", "role": "assistant", "content": "Booked."},
    ]
    server = StubServer(connects=[restored(said)])
    await server.install(page)
    await page.goto(ADDRESS)
    await booked(page)
    await expect(page.get_by_test_id("answered")).to_have_text("How many people? 4")
    await shoot_everywhere(page, "question-answered")
