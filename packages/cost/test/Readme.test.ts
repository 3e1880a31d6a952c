/** Checks that the README's imports and file names exist. */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import * as Cost from "../src/index.ts"

const folder = new URL("..", import.meta.url).pathname
const page = readFileSync(join(folder, "README.md"), "utf8")
const files = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".ts")
)
const names = new Set(files.map((path) => basename(path, ".ts")))

describe("the README", () => {
  it("imports what the package exports", () => {
    const [, imported = ""] = /import \{ ([^}]*) \} from "@quarterdeck\/cost"/.exec(page) ?? []
    assert.includeMembers(Object.keys(Cost), imported.split(", "))
  })

  it("names files that are there", () => {
    const map = page.slice(page.indexOf("## Folders"))
    const named = Array.from(map.matchAll(/`([a-z/]*[A-Z]\w+)(\.ts)?`/g), ([, path = ""]) => path)
    assert.isAbove(named.length, 50)
    const missing = named.filter((path) => (path.includes("/") ? !files.includes(`${path}.ts`) : !names.has(path)))
    assert.deepStrictEqual(missing, [])
  })
})
