"""What a caller reads when there is no answer: fixed sentences in two languages, never the text of an exception."""

from __future__ import annotations

from agents.kit.conversation import answers_in_chinese
from agents.kit.turn import Question

TEXTS = {
    "failed": (
        "抱歉，处理这个问题时出了点差错，请稍后再试。",
        "Sorry, something went wrong here. Please try again later.",
    ),
    "timeout": ("抱歉，这个问题花的时间太长，请稍后再试。", "Sorry, this took too long. Please try again later."),
    "stopped": ("服务正在重启，请稍后再问一次。", "The agent is being restarted. Please ask again in a moment."),
    "unsure": (
        "处理你的回答时中断了，可能已经办好，请先确认再重新提问。",
        "Your answer was being dealt with when this was cut off. It may have been done: check before you ask again.",
    ),
    "empty": ("没有读到问题，请用文字描述。", "The message holds no text. Please ask in words."),
    "too_long": ("问题太长了，请缩短后再试。", "The question is too long. Please shorten it."),
    "bad_action": ("读不懂这次点击，请重新打开卡片。", "This click cannot be read. Please open the card again."),
}
ENDED = "The task has ended. Ask again without its taskId."
CANCELLED = "已取消。 Cancelled."


def public_text(key: str, question: Question) -> str:
    """The sentence in the language of the question."""
    chinese, english = TEXTS[key]
    return chinese if answers_in_chinese(question.text, question.asker) else english
