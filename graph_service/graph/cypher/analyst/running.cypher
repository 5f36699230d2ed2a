// Running analyst statements, also those that were stopped but still compute. No index: in memory.
// $tag: str, of one statement; empty: all
// -> transaction, tag, status
SHOW TRANSACTIONS YIELD transactionId, metaData, status
WHERE metaData.mnemograph_analyst IS NOT NULL AND ($tag = '' OR metaData.mnemograph_analyst = $tag)
RETURN transactionId AS transaction, metaData.mnemograph_analyst AS tag, status
