import { defineConfig } from "vite";

// Fixed names and no hashes: the built files are committed, and CI checks that a rebuild gives the same bytes.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../supervisor/http/static",
    emptyOutDir: true,
    assetsDir: "static",
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 900,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        inlineDynamicImports: true,
      },
    },
  },
  experimental: {
    renderBuiltUrl: (name) => `./static/${name}`,
  },
});
