// Extraction cost of a tenant per day in a range, newest first. Unique index usage_day.
// hot
// $tenant: str
// $first: str, YYYY-MM-DD in UTC
// $last: str, YYYY-MM-DD in UTC, inclusive
// -> usage
MATCH (u:Usage) WHERE u.tenant = $tenant AND u.day >= $first AND u.day <= $last
RETURN u {.day, .calls, .tokens_in, .tokens_out, .scenes_by_model, .scenes_by_rules, .scenes_over_budget, .items_dropped, embedding_tokens: coalesce(u.embedding_tokens, 0)} AS usage
ORDER BY u.day DESC
