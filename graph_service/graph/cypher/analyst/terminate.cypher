// Ask the server to end transactions; a single expression that is being computed still finishes. No index.
// $transactions: list of str
// -> message
TERMINATE TRANSACTIONS $transactions YIELD message
RETURN message
