import react from "@vitejs/plugin-react"
import { gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"
import { compress } from "./build/compress.ts"

/** Budget for the compressed script of the first page. */
const FIRST_LOAD_GZIP_BYTES = 300_000

/** Fails the build if the script of the first load exceeds its budget. */
const budget = (): Plugin => ({
  name: "quarterdeck-first-load-budget",
  apply: "build",
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? [output] : []))
    const first = new Set(chunks.filter(({ isEntry }) => isEntry))
    for (const { imports } of first) {
      for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk)
    }
    const bytes = [...first].reduce((sum, { code }) => sum + gzipSync(code).byteLength, 0)
    if (bytes > FIRST_LOAD_GZIP_BYTES) {
      this.error(`the first load is ${bytes} bytes of compressed script, over ${FIRST_LOAD_GZIP_BYTES}`)
    }
    this.info(
      `first load: ${Math.round(bytes / 1_000)} kB of compressed script, ${FIRST_LOAD_GZIP_BYTES / 1_000} allowed`
    )
  }
})

export default defineConfig({
  // Relative, so that the page works below any prefix.
  base: "./",
  resolve: { conditions: ["@quarterdeck/source", "module", "browser", "import", "default"] },
  plugins: [react(), budget(), compress()],
  build: {
    target: "es2023",
    // The budget above replaces this warning.
    chunkSizeWarningLimit: 2_000,
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
    modulePreload: { polyfill: false }
  }
})
