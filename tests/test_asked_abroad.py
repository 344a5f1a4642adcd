"""Messages that were lost: in Chinese, after a picture, after consent, or with a question in the end."""

from __future__ import annotations

import pytest

from everthread.domain.distilling.summaries_worth import only_asks
from everthread.domain.gleaning.digest import Digest
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")


def said(words: str) -> Digest:
    return gleaned(
        ("user", "做一个手柄测试场景"),
        ("agent", "我创建了 `test/pad.gd`。"),
        ("user", words),
        ("agent", "我已经修改了 `pad.gd`。"),
    )


def told(digest: Digest, kind: str = "") -> str:
    return "\n".join(p.text for p in digest.points if p.by == "user" and kind in ("", p.kind))


@pytest.mark.parametrize(
    "words",
    [
        "标签满了以后，最新的按键没有显示出来，显示的是上一个",
        "振动的信息放在右边的固定标签里显示",
    ],
)
def test_a_short_message_in_signs_says_as_much_as_a_long_one_in_letters(words: str) -> None:
    assert words in told(said(words))


@pytest.mark.parametrize(
    "words",
    ["标签满了以后，显示的是上一个按键的值", "The labels on the right are too small to read"],
)
def test_a_picture_before_the_words_is_no_command_of_a_shell(words: str) -> None:
    assert words in told(said(f"![4711](image/pad/4711.png)\n{words}"))


def test_consent_before_a_wish_does_not_take_it_along() -> None:
    words = "可以，没问题了，我发现手柄可以振动，你可以写一个测试脚本"
    assert words in told(said(words))
    assert not told(said("好的，没问题"), "request").removeprefix("做一个手柄测试场景")


@pytest.mark.parametrize(
    "words",
    [
        "我每次新建项目都要重新设置输入映射吗，有什么方法简化",
        "難道每个项目都要重新设置手柄",
        "手柄の設定は毎回すべてやり直す必要がありますか",
    ],
)
def test_a_question_without_its_mark_lays_nothing_down(words: str) -> None:
    assert not told(said(words), "rule")


def test_whether_something_is_right_puts_nothing_right() -> None:
    assert not told(said("用 get_child(PadNode) 打开手柄，这样写对不对"), "correction")


def test_to_choose_on_a_screen_is_no_choice() -> None:
    reply = "新的键位：\n- `btn_back` - Back 键（选择）- 键盘：Tab\n- **Home** - 主页/选择"
    digest = gleaned(("user", "重新命名手柄的按键"), ("agent", reply))
    assert not [p for p in digest.points if p.kind == "decision"]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Why is the valve so slow?", True),
        ("Ok. Why is the valve so slow?", True),
        ("Should the valve be split up, too?", True),
        ("Can you build a panel for all the valves please?", False),
        ("If nothing was sold it should be endless, no?", False),
        ("Si no hay datos no debería ser cero, sino infinito, ¿no?", False),
        ("podes revisarlo?", False),
        ("I want the price on the left. What is the difference between the two?", False),
    ],
)
def test_who_wants_or_tells_something_does_not_only_ask(text: str, alone: bool) -> None:
    assert only_asks(text) is alone
