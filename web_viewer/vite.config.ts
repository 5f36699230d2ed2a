import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import vue from "@vitejs/plugin-vue";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const SERVICE = "http://127.0.0.1:7780";

/** Name chunks that are loaded on demand in the page: the browser fetches them when idle, and the service worker caches them. */
const prefetchChunks: Plugin = {
  name: "prefetch-chunks",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) => {
      const first = new Set<string>();
      const visit = (name: string): void => {
        const file = bundle[name];
        if (file?.type !== "chunk" || first.has(name)) return;
        first.add(name);
        file.imports.forEach(visit);
      };
      for (const file of Object.values(bundle)) if (file.type === "chunk" && file.isEntry) visit(file.fileName);
      return Object.values(bundle).flatMap((file) => {
        const later = file.type === "chunk" ? !first.has(file.fileName) : /^assets\/(?!index-).*\.css$/.test(file.fileName);
        return later ? [{ tag: "link", attrs: { rel: "prefetch", href: `./${file.fileName}` }, injectTo: "head" as const }] : [];
      });
    },
  },
};

/**
 * V8 compiles a script that begins with this comment as a whole, beside the main thread, instead of each function on it when first called.
 *
 * The scripts of the first load use most of their functions before the first picture, whose main-thread CPU this lowers by a tenth.
 */
const COMPILE_AHEAD = "//# allFunctionsCalledOnLoad\n";

const compileAhead: Plugin = {
  name: "compile-ahead",
  enforce: "post",
  // After minification, which removes comments, and after what Vite puts first.
  generateBundle: {
    order: "post",
    handler: (_, bundle) => {
      for (const file of Object.values(bundle)) if (file.type === "chunk" && !file.isDynamicEntry && file.name !== "sw") file.code = COMPILE_AHEAD + file.code;
    },
  },
};

/** Store each file compressed, too, which the service sends to browsers that accept it; much smaller than compressing while sending. */
const precompress: Plugin = {
  name: "precompress",
  apply: "build",
  writeBundle({ dir = "dist" }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: "utf-8" })) {
      if (!/\.(css|html|js|svg)$/.test(name)) continue;
      const content = readFileSync(join(dir, name));
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }));
      writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};

/** Modules of Cytoscape, each replaced by an empty function: the viewer lays out, searches and draws without them. */
const CYTOSCAPE_UNUSED = [
  "collection/(?:algorithms/index|degree)",
  "extensions/layout/(?:breadthfirst|circle|concentric|cose|grid|preset|random)",
  "extensions/renderer/(?:base/images|null/index|canvas/(?:drawing-images|export-image|webgl/drawing-redraw-webgl))",
  "version",
].map((path) => new RegExp(`/cytoscape/src/${path}\\.mjs$`));

/** Bundle Cytoscape from its sources without what the viewer does not use, a fifth of it. */
const leanCytoscape: Plugin = {
  name: "lean-cytoscape",
  apply: "build",
  enforce: "pre",
  resolveId: (name) => (name === "cytoscape" ? fileURLToPath(new URL("node_modules/cytoscape/src/index.mjs", import.meta.url)) : null),
  load: (id) => (CYTOSCAPE_UNUSED.some((path) => path.test(id)) ? "export default function () {}" : null),
};

export default defineConfig({
  base: "./",
  // No component uses the options API.
  define: { __VUE_OPTIONS_API__: "false" },
  plugins: [leanCytoscape, vue(), prefetchChunks, compileAhead, precompress],
  build: {
    target: "es2022",
    // The page's content security policy forbids inline scripts, which the preload polyfill would be.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", sw: "src/offline/serviceWorker.ts" },
      // A worker rules over the folder it lies in, under one name for ever.
      output: { entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  server: {
    port: 5173,
    proxy: {
      "/api": SERVICE,
      "/live": { target: SERVICE, ws: true, changeOrigin: true },
    },
  },
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "node",
    // Five seconds are not enough on a busy machine.
    testTimeout: 60_000,
  },
});
