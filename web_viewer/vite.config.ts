import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vitest/config";

const SERVICE = "http://127.0.0.1:7780";

export default defineConfig({
  base: "./",
  plugins: [vue()],
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
  },
});
