"""One requirement of an installation, and how it stands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One requirement and how it stands.

    Attributes:
        ok: None when the requirement does not apply or will be met by itself at the next start.
        mend: what to do; empty unless `ok` is False.
    """

    name: str
    ok: bool | None
    finding: str
    mend: str = ""
