import { afterEach, describe, expect, it, vi } from "vitest";
import { searchFor, signIn } from "../src/live/signIn";

const asked: { url: string; init: RequestInit }[] = [];

function answering(status: number, body: unknown): void {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return new Response(JSON.stringify(body), { status });
  });
}

afterEach(() => {
  asked.length = 0;
  vi.unstubAllGlobals();
});

describe("signing in", () => {
  it("hands the key over in the body and never in the address", async () => {
    answering(200, { tenant: "acme", role: "read" });
    expect(await signIn("mnk_a_b")).toEqual({ tenant: "acme", role: "read" });
    expect(asked[0]?.url).toBe("api/sign-in");
    expect(asked[0]?.init).toMatchObject({ method: "POST", body: '{"key":"mnk_a_b"}' });
  });

  it("says what the service says when the key is not good", async () => {
    answering(401, { error: { code: "UNAUTHORIZED", message: "this credential is not good" } });
    await expect(signIn("x")).rejects.toThrow("this credential is not good");
  });

  it("goes to the tenant that the key opens", () => {
    expect(searchFor({ tenant: "acme", role: "read" }, "default")).toBe("?tenant=acme");
    expect(searchFor({ tenant: "咖啡", role: "read" }, "acme")).toBe("?tenant=%E5%92%96%E5%95%A1");
    expect(searchFor({ tenant: "default", role: "read" }, "acme")).toBe("");
    expect(searchFor({ tenant: "acme", role: "read" }, "acme")).toBeNull();
    expect(searchFor({ tenant: null, role: "admin" }, "acme")).toBeNull();
  });
});
