/** HTTP requests to the service, for one tenant: everything except the WebSocket. */

/** An error that the service returned. */
export class ServiceFailure extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** What went wrong: the element does not exist, the service does not answer, or it gave a reason. */
export type Trouble = { kind: "missing" } | { kind: "unreachable" } | { kind: "refused"; why: string };

export function troubleOf(error: unknown): Trouble {
  if (error instanceof ServiceFailure) return error.status === 404 ? { kind: "missing" } : error.status >= 502 ? { kind: "unreachable" } : { kind: "refused", why: error.message };
  // `fetch` rejects with a TypeError if there was no response.
  if (error instanceof TypeError) return { kind: "unreachable" };
  return { kind: "refused", why: error instanceof Error ? error.message : String(error) };
}

/** @throws ServiceFailure with the service's message if it returns an error. */
export async function askService<T>(path: string, tenant: string, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(`api/${path}`, { headers: { "Mnemoscene-Tenant": encodeURIComponent(tenant), Accept: "application/json" }, signal });
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new ServiceFailure(messageOf(body) ?? `HTTP ${answer.status}`, answer.status);
  return body as T;
}

/**
 * Run a GraphQL operation.
 *
 * @throws Error with the service's message if it returns an error.
 */
export async function askGraphql<T>(query: string, variables: Record<string, unknown>, tenant: string, signal?: AbortSignal): Promise<T> {
  const headers = { "Mnemoscene-Tenant": encodeURIComponent(tenant), "Content-Type": "application/json", Accept: "application/json" };
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
