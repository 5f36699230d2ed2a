// Connections of other Mnemoscene processes to this server.
// $own_agent: str, the user agent of this process
// -> address
CALL dbms.listConnections() YIELD userAgent, clientAddress
WITH userAgent, clientAddress WHERE userAgent STARTS WITH 'mnemoscene/' AND userAgent <> $own_agent
RETURN clientAddress AS address
