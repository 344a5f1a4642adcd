"""The forms of sentences in Chinese, Japanese and Korean, which are written without blanks: what they hold
tells what they do. A question needs no mark: it ends in a word for it, or asks for a yes or a no.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

SIGNS = lazy_pattern("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
ASKS = lazy_pattern(
    "请|請|帮我|幫我|能不能|可以.{0,8}吗|想要|需要|ください|下さい|お願い|してほしい|주세요|해줘|부탁"
)
RULE = lazy_pattern(
    "以后(?!再(?!也))|今后|从现在起|總是|总是|(?<!要)不要(?!紧|緊)|永远不|必须|別再|别再|"
    "(?<![特分区區级級类類个個差性])[别別](?:告诉|告訴|分享|发给|發給|删|刪|联系|聯繫|透露|泄露)|"
    "今後|これから|必ず|しないで|앞으로|항상|절대|"
    "一律|(?:每次|每回|每个|每一|凡是|所有).{0,16}(?:请|請|必须|都要|都用|都写|要用|不许|别)|"
    "(?:毎回|常に|いつも|すべて|全て).{0,30}(?:ください|下さい|すること)|"
    "(?:매번|언제나|모든).{0,30}(?:세요|줘|마라|할 것)"
)
CORRECTION = lazy_pattern("不对|不對|錯了|错了|不是.{1,20}而是|違います|違う|ではなく|아니")
DECISION = lazy_pattern(
    "决定|決定|選択(?:し|する)|(?:我们?|就|最[终後后])选择?|选择(?:了|使用|采用)|就用|[採采]用(?!了)|にします|"
    "하기로|결정"
)
DONE = lazy_pattern("完成|已经|修复了|修復|しました|できました|完了|했습니다|완료")
FAILURE = lazy_pattern("失败|失敗|报错|錯誤|错误|エラー|動かない|できません|실패|오류")
OPEN = lazy_pattern("待办|稍后|以后再|还没|尚未|後で|まだ|나중에|아직")
THANKS = lazy_pattern("谢谢|謝謝|ありがとう|감사|고마|很好|没问题|好的")
_ASKS = lazy_pattern(
    r"[吗嗎](?=\W|$)|(?:对不对|對不對|是不是|行不行|好不好|对吧|對吧|呢)\W*$|难道|難道|为什么|為什麼|为何|"
    r"有(?:什么|什麼|没有|沒有)(?:更?好的?)?(?:方法|办法|辦法|区别|區別)|"
    r"(?:ますか|ですか|でしょうか|ませんか|たか|るか)[。.\s]*$|(?:까요?|나요|는가요|인가요)[.\s]*$"
)


def asks_in_signs(text: str) -> bool:
    """Does it ask, in a script that is written without blanks?"""
    return not text.isascii() and _ASKS.search(text) is not None
