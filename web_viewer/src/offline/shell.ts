/** Which addresses are the page itself. */

/** The page, one of its files, or null for what is remembered and everything else. */
export function partOfPage(url: string, home: string): "page" | "file" | null {
  const { origin, pathname } = new URL(url);
  const base = new URL(home);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  const path = pathname.slice(base.pathname.length);
  if (path === "" || path === "index.html") return "page";
  return path.startsWith("assets/") || path === "mark.svg" ? "file" : null;
}

/** The files that a page names, as whole addresses. */
export function assetsIn(html: string, home: string): string[] {
  const named = [...html.matchAll(/(?:src|href)="(?:\.\/)?((?:assets\/|mark\.svg)[^"]*)"/g)].map((found) => found[1] ?? "");
  return [...new Set(named.map((path) => new URL(path, home).href))];
}
