import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { build } from "vite"

/** What a bundler puts in the place of a module that browsers do not have. */
const EXTERNAL = "__vite-browser-external"

describe("the contract in a browser", () => {
  it("bundles whole, without a module of Node", async () => {
    const bundle = await build({
      configFile: false,
      logLevel: "silent",
      resolve: { conditions: ["@quarterdeck/source", "browser", "import", "default"] },
      build: {
        write: false,
        minify: false,
        lib: { entry: fileURLToPath(new URL("../src/index.ts", import.meta.url)), formats: ["es"] }
      }
    })
    const outputs = Array.isArray(bundle) ? bundle : [bundle]
    const chunks = outputs.flatMap((output) => ("output" in output ? output.output : []))
    assert.isNotEmpty(chunks)
    for (const chunk of chunks) {
      if (chunk.type !== "chunk") continue
      assert.deepStrictEqual(
        [...chunk.imports, ...chunk.dynamicImports].filter((name) => name.startsWith("node:")),
        []
      )
      assert.notInclude(chunk.code, EXTERNAL)
      assert.include(chunk.code, "/api/v1")
    }
  }, 60_000)
})
