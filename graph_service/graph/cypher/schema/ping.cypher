// Whether the database itself works: a server that lets us in may have a database that stopped, as after a full disk.
// -> one
RETURN 1 AS one
