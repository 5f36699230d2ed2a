/** Recognise URLs of the page itself. */

/** Return the page, one of its files, or null for data and everything else. */
export function partOfPage(url: string, home: string): "page" | "file" | null {
  const { origin, pathname } = new URL(url);
  const base = new URL(home);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  const path = pathname.slice(base.pathname.length);
  if (path === "" || path === "index.html") return "page";
  return path.startsWith("assets/") || path === "mark.svg" ? "file" : null;
}

/** Return the files that a page refers to, as absolute URLs. */
export function assetsIn(html: string, home: string): string[] {
  const named = [...html.matchAll(/(?:src|href)="(?:\.\/)?((?:assets\/|mark\.svg)[^"]*)"/g)].map((found) => found[1] ?? "");
  return [...new Set(named.map((path) => new URL(path, home).href))];
}
