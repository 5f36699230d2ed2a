// Write usage of an import; replaces all properties. Index usage_day.
// $tenant: str
// $rows: list of {day, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Usage {tenant: $tenant, day: row.day})
SET n = row.properties
RETURN count(*) AS written
