"""Syntax of the Chinese rules."""

import re
from typing import Final

from extraction.rules.engine import RuleSyntax

# Adverbs between subject and verb; bounded, and no text matches in two ways.
_ADVERBS: Final = (
    r"(?:(?:从[\d一二三四五六七八九十]{1,4}年(?:开始|起|就)|[\d一二两三四五六七八九十]{1,3}年前(?:就|"
    r"开始)?|真的|确实|其实|平时|从小|一直|现在|目前|最近|已经|特别|非常|比较|尤其|总是|一般|通常|本来|也|"
    r"都|还|很|最|挺|更|超级|超|太|就|可|真|好|正|又|"
    r"极其|十分|向来|始终|有点|有些|稍微|今年|去年|上个月|上周|如今|后来|终于|刚刚|刚|才|开始|蛮|越来越|"
    r"特|打小|是真的|是|实在|绝对|完全|根本|经常|常常|每天|每周|周末|老是|几乎|基本上?|反正|天生|格外|相当|"
    r"无比|简直|明年|下个月|下周|以后|将来|没事就|长大(?:了|以后|后)?|[\d一二三四五六七八九十]{1,2}月份?|"
    r"20\d\d年(?:就)?|(?:大学|高中|中专|本科|研究生)?毕业(?:以后|之后|后)){0,5})"
)
SYNTAX: Final = RuleSyntax(adverbs=_ADVERBS, gap="", flags=re.DOTALL)
