"""HTTP API: GraphQL, REST and sign-in."""
