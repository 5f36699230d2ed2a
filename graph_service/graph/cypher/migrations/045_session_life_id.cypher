// One life for each session. Not a part of Session: scenes join that node while the life goes on, and both would lock it.
CREATE CONSTRAINT session_life_id IF NOT EXISTS FOR (n:SessionLife) REQUIRE (n.tenant, n.id) IS UNIQUE
