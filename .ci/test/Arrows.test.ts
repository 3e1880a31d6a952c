/**
 * Tests that the linter refuses every import between packages or folders that goes up or sideways.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ARROWS } from "./ArrowCases.ts"

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url))

interface Case {
  readonly folder: string
  readonly specifier: string
  readonly file: string
}

/** Modules of the dashboard may contain JSX. */
const extensionsOf = (folder: string): ReadonlyArray<string> =>
  folder.startsWith("packages/dashboard/") ? ["ts", "tsx"] : ["ts"]

let files = 0
const casesOf = (side: "may" | "mayNot"): ReadonlyArray<Case> =>
  Object.entries(ARROWS).flatMap(([folder, arrows]) =>
    arrows[side].flatMap((specifier) =>
      extensionsOf(folder).map((extension) => ({ folder, specifier, file: `${folder}/Case${files++}.${extension}` }))
    )
  )
const may = casesOf("may")
const mayNot = casesOf("mayNot")

/** Modules that import each other, by value and by type only. */
const CIRCLES: Readonly<Record<string, string>> = {
  "packages/newcomer/src/CircleOne.ts": `import { two } from "./CircleTwo.ts"\nexport const one = () => two\n`,
  "packages/newcomer/src/CircleTwo.ts": `import { one } from "./CircleOne.ts"\nexport const two = () => one\n`,
  "packages/newcomer/src/port/Port.ts": `import type { Adapter } from "../store/Adapter.ts"\nexport type Port = ReadonlyArray<Adapter>\n`,
  "packages/newcomer/src/store/Adapter.ts": `import type { Port } from "../port/Port.ts"\nexport interface Adapter { readonly port: Port }\n`
}

describe("arrows between the packages", () => {
  let root: string
  let refused: ReadonlySet<string>
  let circular: ReadonlySet<string>

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "quarterdeck-arrows-"))
    await symlink(join(REPOSITORY, "node_modules"), join(root, "node_modules"))
    await mkdir(join(root, ".ci"))
    const files = ["oxlint.config.ts", ".ci/Wings.ts", ".ci/PlainEnglish.ts"]
    for (const file of files) await copyFile(join(REPOSITORY, file), join(root, file))
    for (const { file, specifier } of [...may, ...mayNot]) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), `export * as Imported from "${specifier}"\n`)
    }
    for (const [file, text] of Object.entries(CIRCLES)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    // Names the folders, since the linter would otherwise visit every file of every dependency.
    const folders = [...new Set(Object.keys(ARROWS).map((folder) => folder.split("/", 1).join()))]
    const options = { cwd: root, encoding: "utf8" } as const
    const lint = spawnSync(join(root, "node_modules/.bin/oxlint"), ["--format=unix", ...folders], options)
    assert.strictEqual(lint.stderr, "")
    const breaking = (rule: string): ReadonlySet<string> =>
      new Set(
        lint.stdout
          .split("\n")
          .flatMap((line) => (line.endsWith(`(${rule})]`) ? [line.slice(0, line.indexOf(":"))] : []))
      )
    refused = breaking("no-restricted-imports")
    circular = breaking("no-cycle")
  })

  afterAll(() => rm(root, { recursive: true, force: true }))

  it.each(mayNot)("refuses $specifier in $file", ({ file }) => {
    assert.isTrue(refused.has(file))
  })

  it.each(Object.keys(CIRCLES))("refuses the circle that goes through %s", (file) => {
    assert.isTrue(circular.has(file))
  })

  it.each(may)("allows $specifier in $file", ({ file }) => {
    assert.isFalse(refused.has(file))
  })
})
