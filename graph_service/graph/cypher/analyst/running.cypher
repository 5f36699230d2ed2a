// Running analyst statements, also those that were stopped but still compute. No index: in memory.
// $tag: str, of one statement; empty: all
// -> transaction, tag, status
SHOW TRANSACTIONS YIELD transactionId, metaData, status
WHERE metaData.mnemoscene_analyst IS NOT NULL AND ($tag = '' OR metaData.mnemoscene_analyst = $tag)
RETURN transactionId AS transaction, metaData.mnemoscene_analyst AS tag, status
