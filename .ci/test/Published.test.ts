import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { anchorsOf, linksOf } from "./Anchors.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const REPOSITORY = "https://github.com/quarterdeck/quarterdeck"

const Manifest = Schema.Struct({
  name: Schema.String,
  private: Schema.optionalKey(Schema.Boolean),
  homepage: Schema.optionalKey(Schema.String),
  exports: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Union([Schema.String, Schema.Null, Schema.Record(Schema.String, Schema.String)])
    )
  ),
  repository: Schema.optionalKey(
    Schema.Struct({ type: Schema.String, url: Schema.String, directory: Schema.optionalKey(Schema.String) })
  )
})
const decode = Schema.decodeSync(Schema.fromJsonString(Manifest))

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

/** The packages that are published. */
const published = globSync(["packages/*/package.json", "harness/package.json"], { cwd: ROOT })
  .map((path) => ({ folder: dirname(path), manifest: decode(read(path)) }))
  .filter(({ manifest }) => manifest.private !== true)

describe.each(published)("$folder, as it is published", ({ folder, manifest }) => {
  it("names its home and its folder of the repository", () => {
    assert.deepStrictEqual(manifest.repository, {
      type: "git",
      url: `git+${REPOSITORY}.git`,
      directory: folder
    })
    assert.strictEqual(manifest.homepage, `${REPOSITORY}/tree/main/${folder}#readme`)
  })

  it("resolves its sources by a condition that no other package uses", () => {
    const conditions = Object.values(manifest.exports ?? {}).flatMap((one) =>
      one instanceof Object ? Object.keys(one) : []
    )
    assert.isEmpty(
      [...new Set(conditions)].filter((name) => !["@quarterdeck/source", "types", "default"].includes(name))
    )
  })

  it("has links that lead somewhere from any page that shows its README", () => {
    for (const link of linksOf(read(`${folder}/README.md`))) {
      assert.match(link, /^https:\/\//, "a registry's page has no files beside it")
      const [, kind, path = "", anchor] =
        new RegExp(`^${REPOSITORY}/(blob|tree)/main/([^#]+)(?:#(.+))?$`).exec(link) ?? []
      if (kind === undefined) continue
      assert.isTrue(existsSync(join(ROOT, path)), link)
      assert.strictEqual(statSync(join(ROOT, path)).isDirectory(), kind === "tree", link)
      if (anchor !== undefined) assert.isTrue(anchorsOf(read(path)).has(anchor), link)
    }
  })
})
