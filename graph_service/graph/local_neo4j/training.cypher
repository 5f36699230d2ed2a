// Run while the class archive is recorded, on an empty store that is thrown away. A semicolon ends each statement.
CREATE CONSTRAINT training IF NOT EXISTS FOR (n:Training) REQUIRE (n.tenant, n.id) IS UNIQUE;
CYPHER 25 CREATE VECTOR INDEX training_vector IF NOT EXISTS FOR (n:Training) ON n.embedding WITH [n.tenant]
OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}};
CREATE FULLTEXT INDEX training_text IF NOT EXISTS FOR (n:Training) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}};
CALL db.awaitIndexes(60);
UNWIND range(1, 50) AS id
MERGE (n:Training {tenant: 't', id: id}) ON CREATE SET n.text = 'tea 茶 ' + id, n.time = datetime()
WITH n CALL db.create.setNodeVectorProperty(n, 'embedding', [1.0, n.id / 50.0, 0.5])
RETURN count(n) AS nodes;
MATCH (a:Training {tenant: 't'})
MATCH (b:Training {tenant: 't', id: a.id + 1})
MERGE (a)-[e:NEXT]->(b) SET e.at = datetime()
RETURN count(e) AS edges;
CYPHER 25
MATCH (n:Training) SEARCH n IN (VECTOR INDEX training_vector FOR [1.0, 0.2, 0.5] WHERE n.tenant = 't' LIMIT 5) SCORE AS score
RETURN n.id, score ORDER BY score DESC;
CALL db.index.fulltext.queryNodes('training_text', 'tea') YIELD node, score RETURN node.id, score LIMIT 5;
MATCH (a:Training {tenant: 't'})-[e*1..2]->(b) RETURN a.id, collect(b.text)[..3] AS texts, size(e) AS hops LIMIT 9;
MATCH (n:Training) CALL (n) { OPTIONAL MATCH (n)-->(m) RETURN count(m) AS degree } RETURN sum(degree) AS edges;
MATCH (n:Training {tenant: 't', id: 1}) DETACH DELETE n
