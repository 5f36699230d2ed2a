// One node for each tenant and day that counts what reading cost.
CREATE CONSTRAINT usage_day IF NOT EXISTS FOR (u:Usage) REQUIRE (u.tenant, u.day) IS UNIQUE
