// Asks the server to end transactions; what they compute within one expression goes on. No index.
// $transactions: list of str
// -> message
TERMINATE TRANSACTIONS $transactions YIELD message
RETURN message
