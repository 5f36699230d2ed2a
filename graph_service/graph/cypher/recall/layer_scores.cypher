// Return the similarities of the scene summaries that lead to messages and scenes, for the layered ranking mode.
// hot
// $tenant: str
// $vector: list of float, or null without an embedder
// $messages: list of str, ids of messages; those without a scene are left out
// $scenes: list of str, ids of scenes
// -> id, scene, abstract, overview
CALL () {
  UNWIND $messages AS id
  MATCH (:Message {tenant: $tenant, id: id})-[:PART_OF]->(s:Scene)
  RETURN id, s
 UNION ALL
  UNWIND $scenes AS id
  MATCH (s:Memory {tenant: $tenant, id: id})
  RETURN id, s
}
RETURN id, s.id AS scene, vector.similarity.cosine(s.abstract_embedding, $vector) AS abstract,
  vector.similarity.cosine(s.overview_embedding, $vector) AS overview
