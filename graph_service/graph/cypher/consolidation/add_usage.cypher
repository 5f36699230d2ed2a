// Add the cost of one digest to its tenant's day, in the commit of the digest, so that a repeated digest is counted once.
// Run right before the change log by every writer, so that all lock in the same order.
// hot
// $tenant: str
// $day: str, YYYY-MM-DD in UTC
// $cost: {calls, tokens_in, tokens_out, scenes_by_model, scenes_by_rules, scenes_over_budget, items_dropped, embedding_tokens}
// -> day
MERGE (u:Usage {tenant: $tenant, day: $day})
SET u.calls = coalesce(u.calls, 0) + $cost.calls,
    u.tokens_in = coalesce(u.tokens_in, 0) + $cost.tokens_in,
    u.tokens_out = coalesce(u.tokens_out, 0) + $cost.tokens_out,
    u.scenes_by_model = coalesce(u.scenes_by_model, 0) + $cost.scenes_by_model,
    u.scenes_by_rules = coalesce(u.scenes_by_rules, 0) + $cost.scenes_by_rules,
    u.scenes_over_budget = coalesce(u.scenes_over_budget, 0) + $cost.scenes_over_budget,
    u.items_dropped = coalesce(u.items_dropped, 0) + $cost.items_dropped,
    u.embedding_tokens = coalesce(u.embedding_tokens, 0) + $cost.embedding_tokens
RETURN u.day AS day
