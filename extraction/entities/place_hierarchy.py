"""Names of countries and regions (incomplete): living in France does not contradict living in Paris."""

from functools import cache
from typing import Final

from schema.ids import name_key

_REGIONS: Final = """
Africa|Asia|Europe|North America|South America|Oceania|Scandinavia|the Netherlands|Netherlands
Holland|Argentina|Australia|Austria|Belgium|Brazil|Bulgaria|Canada|Chile|China|Colombia|Croatia|Cuba
Czech Republic|Czechia|Denmark|Egypt|Estonia|Ethiopia|Finland|France|Germany|Ghana|Greece|Hungary
Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Jamaica|Japan|Kenya|Korea|South Korea|Latvia
Lithuania|Malaysia|Mexico|Morocco|Nepal|New Zealand|Nigeria|Norway|Pakistan|Peru|Poland|Portugal
Romania|Russia|Saudi Arabia|Scotland|Wales|England|Serbia|Slovakia|Slovenia|South Africa|Spain
Sweden|Switzerland|Taiwan|Thailand|Turkey|Ukraine|UK|the UK|United Kingdom|the United Kingdom
Great Britain|Britain|US|the US|USA|the USA|United States|the United States|America|Uruguay
Venezuela|Vietnam|Philippines|the Philippines|Bavaria|Catalonia|Tuscany|Alabama|Alaska|Arizona
Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa
Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri
Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|North Carolina|North Dakota|Ohio
Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont
Virginia|West Virginia|Wisconsin|Wyoming|Ontario|Quebec|非洲
亚洲|欧洲|北美|南美|北欧|大洋洲|中国|美国|英国|法国|德国|日本|韩国|加拿大|澳大利亚|澳洲|新西兰|意大利
西班牙|葡萄牙|荷兰|比利时|瑞士|瑞典|挪威|丹麦|芬兰|冰岛|爱尔兰|波兰|捷克|匈牙利|希腊|土耳其|俄罗斯
乌克兰|印度|印尼|印度尼西亚|马来西亚|泰国|越南|菲律宾|巴西|阿根廷|智利|秘鲁|墨西哥|埃及|南非|肯尼亚
以色列|台湾|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川
贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|加州|得州|德州
"""


@cache
def _names() -> frozenset[str]:
    found = {name_key(name) for name in _REGIONS.replace("\n", "|").split("|") if name}
    return frozenset(found | {f"{name}{end}" for name in found for end in ("省", "自治区") if not name.isascii()})


def is_region(name: str) -> bool:
    """Return whether a name is a country or region."""
    return name_key(name) in _names()


def other_level(one: str | None, other: str | None) -> bool:
    """Return whether exactly one of two places is a country or region, which may contain the other."""
    regions = [is_region(name) for name in (one, other) if name]
    return len(regions) == 2 and regions[0] != regions[1]
