// Number of open, leased and dead jobs of one tenant.
// $tenant: str
// $kinds: list of str
// -> state, jobs
MATCH (j:Job) WHERE j.tenant = $tenant AND j.state IN ['open', 'leased', 'dead'] AND j.kind IN $kinds
RETURN j.state AS state, count(*) AS jobs
