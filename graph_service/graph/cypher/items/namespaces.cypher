// A page of the namespaces of an owner, sorted. Full-text index item_words.
// $tenant: str
// $user_id: str, empty for items of the tenant
// $query: str, a Lucene query for the labels of the prefix before the first wildcard
// $prefix: list of str, labels at the start; '*' matches any
// $suffix: list of str, labels at the end
// $max_depth: int, longer namespaces are cut to so many labels
// $now_ms: int
// $skip: int
// $rows_max: int
// -> namespace
CALL db.index.fulltext.queryNodes('item_words', $query) YIELD node AS i
WHERE i.tenant = $tenant AND i.user_id = $user_id AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
WITH DISTINCT i.namespace AS labels
WHERE size(labels) >= size($prefix) AND all(at IN range(0, size($prefix) - 1) WHERE $prefix[at] IN ['*', labels[at]])
  AND size(labels) >= size($suffix)
  AND all(at IN range(1, size($suffix)) WHERE $suffix[size($suffix) - at] IN ['*', labels[size(labels) - at]])
WITH DISTINCT labels[0..$max_depth] AS namespace ORDER BY namespace SKIP $skip LIMIT $rows_max
RETURN namespace
