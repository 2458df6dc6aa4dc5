import { defineConfig } from "vite";

// The chat page and this one share words and the model of open questions (../src), but not the version of the client.
export default defineConfig({
  base: "/copilotkit/",
  esbuild: { jsx: "automatic" },
  resolve: { dedupe: ["@ag-ui/client"] },
  server: { proxy: { "/agui": "http://127.0.0.1:8000" } },
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 4000,
    reportCompressedSize: false,
    rollupOptions: { shimMissingExports: true },
  },
});
