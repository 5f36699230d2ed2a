"""GraphQL: from where facts are looked at: what held then, and by what was known then."""

from datetime import datetime
from typing import Annotated

import strawberry

ValidAtArgument = Annotated[
    datetime | None, strawberry.argument(description="What held then; at `asOf` or now if left out.")
]
AsOfArgument = Annotated[datetime | None, strawberry.argument(description="By what was known then.")]
ClosedArgument = Annotated[bool, strawberry.argument(description="Also facts that hold no more.")]
