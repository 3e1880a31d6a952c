/**
 * Bundles the program `quarterdeck` with everything that it loads, so that it starts without reading hundreds of modules.
 * The modules of the library stay apart: a host shares its `effect` with them.
 *
 * A command, and each module that is imported on demand, is a chunk of its own.
 */
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "vite"

const ROOT = fileURLToPath(new URL("..", import.meta.url))

/** `src/cli/Cli.ts` reads package.json two folders above, and so does its chunk. */
const OUT = "dist/program"

/** Conditions of `exports`: our packages by their sources, other packages as in Node. */
const CONDITIONS = ["@quarterdeck/source", "module", "node"]

/** An entry of a package that is started rather than imported. The pages of the dashboard are files and no entry. */
const STARTED = /import\.meta\.resolve\("@quarterdeck\/([^"]+)(?<!\.html)"\)/g

/** Bundles the entry of each worker thread as a file of its own. */
const workers = (): Plugin => ({
  name: "quarterdeck-workers",
  transform: {
    filter: { code: STARTED },
    handler(code) {
      return code.replaceAll(STARTED, (_, entry: string) => {
        const fileName = `${entry.replaceAll("/", "-")}.js`
        this.emitFile({ type: "chunk", id: `@quarterdeck/${entry}`, fileName })
        return `import.meta.resolve("./${fileName}")`
      })
    }
  }
})

await build({
  root: ROOT,
  configFile: false,
  logLevel: "warn",
  plugins: [workers()],
  resolve: {
    conditions: CONDITIONS,
    // This module is `export * from "undici"`. A bundle cannot know the names of a CommonJS module, and would leave them out.
    alias: [{ find: /^\.\/Undici\.js$/, replacement: "undici" }]
  },
  ssr: { noExternal: true, resolve: { conditions: CONDITIONS } },
  build: {
    ssr: "src/bin.ts",
    target: "node24",
    outDir: OUT,
    emptyOutDir: true,
    license: { fileName: "THIRD_PARTY_LICENSES.md" },
    rolldownOptions: {
      output: { comments: false, entryFileNames: "quarterdeck.js", chunkFileNames: "[name]-[hash].js" }
    }
  }
})
