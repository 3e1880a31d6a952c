import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { anchorsOf, linksOf } from "./Anchors.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

/** The pages that are read in the repository. `Published.test.ts` checks the READMEs of packages. */
const pages = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: ROOT })

describe("the pages of the repository", () => {
  it.each(pages)("%s has links that lead somewhere", (page) => {
    for (const link of linksOf(read(page))) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = "", anchor] = link.split("#")
      const target = path === "" ? page : join(dirname(page), path)
      assert.isTrue(existsSync(join(ROOT, target)), link)
      if (anchor !== undefined) assert.isTrue(anchorsOf(read(target)).has(anchor), link)
    }
  })

  it("are told apart by the anchors that GitHub makes", () => {
    const page = "# Rows & `columns`\n## What for?\n```sh\n# no title\n[no link](x)\n```\n## What for?\n[a](b.md#c)\n"
    assert.deepStrictEqual([...anchorsOf(page)], ["rows--columns", "what-for", "what-for-1"])
    assert.deepStrictEqual(linksOf(page), ["b.md#c"])
  })
})
