"""The readers and writers that extraction uses, and the budget of the tokens that they spend."""

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime

from extraction.llm.answer_writer import AnswerWriter
from extraction.llm.fact_judge import FactJudge
from extraction.llm.summary_writer import LayerWriter, SessionWriter
from extraction.reader import Reader
from extraction.token_spending import TokenSpending, spending
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.token_budget import TokenLedger, record_unfinished
from graph_service.memory.summaries.scene_summary import LAYERS_EVERY
from schema.errors import UnavailableError
from schema.ids import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers, summary writer and judge that extraction uses.

    Attributes:
        first: a model, or the local reader when none is configured.
        fallback: the local reader; it reads every scene at once, and the model refines what it found.
        parallel: scenes of a session that a model reads at the same time and in one commit.
        tokens_per_day: budget of the model for each tenant; 0 means no limit.
        writer: writes overviews; None keeps extractive ones.
        session_writer: writes the layers of sessions; None keeps extractive ones.
        answer_writer: answers questions; None quotes the best sentences instead.
        judge: decides about new facts that may restate or contradict known ones; None leaves that to the rules.
        waits_for_ripe: the model reads a scene only when it is complete, so that it reads each scene once.
        extracts: False defers the extraction of new messages until it is requested.
        layers_every: number of new messages after which the layers of a scene are updated.
        ledger: tokens used today by the jobs of this process.
        note_usefulness: called with whether an answer of the model could be used.
    """

    first: Reader
    fallback: Reader
    parallel: int = 4
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    session_writer: SessionWriter | None = None
    answer_writer: AnswerWriter | None = None
    judge: FactJudge | None = None
    waits_for_ripe: bool = False
    extracts: bool = True
    layers_every: int = LAYERS_EVERY
    ledger: TokenLedger = field(default_factory=TokenLedger)
    note_usefulness: Callable[[bool], None] = lambda _useful: None

    @property
    def with_model(self) -> bool:
        """True if a model refines what the local reader reads, or judges facts."""
        return self.first is not self.fallback or self.judge is not None

    @contextlib.asynccontextmanager
    async def accounted(
        self, graph: Graph, tenant: TenantId, *, now: datetime, commits_usage: bool = False
    ) -> AsyncIterator[TokenSpending]:
        """Count the model's tokens inside the block towards the tenant's day, within its budget.

        Args:
            commits_usage: the block records them itself if it succeeds; otherwise they are recorded here, because they
                are paid for.
        """
        tokens = await self.ledger.open(graph, tenant, tokens_per_day=self.tokens_per_day, now=now)
        recorded = False
        with spending(tokens):
            try:
                yield tokens
                recorded = commits_usage
            finally:
                if not recorded:
                    with contextlib.suppress(UnavailableError):
                        await record_unfinished(graph, tenant, tokens, now=now)
