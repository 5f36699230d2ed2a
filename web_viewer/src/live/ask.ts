/** HTTP requests to the service, for one tenant: everything except the WebSocket. */

/** @throws Error with the service's message if it returns an error. */
export async function askService<T>(path: string, tenant: string, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(`api/${path}`, { headers: { "Mnemograph-Tenant": encodeURIComponent(tenant), Accept: "application/json" }, signal });
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new Error(messageOf(body) ?? `HTTP ${answer.status}`);
  return body as T;
}

/**
 * Run a GraphQL operation.
 *
 * @throws Error with the service's message if it returns an error.
 */
export async function askGraphql<T>(query: string, variables: Record<string, unknown>, tenant: string, signal?: AbortSignal): Promise<T> {
  const headers = { "Mnemograph-Tenant": encodeURIComponent(tenant), "Content-Type": "application/json", Accept: "application/json" };
  const answer = await fetch("graphql", { method: "POST", headers, body: JSON.stringify({ query, variables }), signal });
  const body: unknown = await answer.json().catch(() => null);
  const result = body as { data?: T | null; errors?: { message: string }[] } | null;
  if (result?.errors?.length || !result?.data) throw new Error(result?.errors?.[0]?.message ?? messageOf(body) ?? `HTTP ${answer.status}`);
  return result.data;
}

/** Return a query string; null and empty values are left out. */
export function queryString(values: Record<string, string | number | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null && value !== "") query.set(name, String(value));
  return query.size > 0 ? `?${query}` : "";
}

/** Return the message of an error response, or null. */
export function messageOf(body: unknown): string | null {
  const error = (body as { error?: { code?: string; message?: string } } | null)?.error;
  return error?.message ?? error?.code ?? null;
}
