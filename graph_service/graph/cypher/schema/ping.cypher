// A statement that needs the database: a server may accept log-ins while its database has stopped, as after a full disk.
// -> one
RETURN 1 AS one
