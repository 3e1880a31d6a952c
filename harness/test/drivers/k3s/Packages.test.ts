/** A machine without the optional packages: the same sources beside every dependency but these. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Option, Schema } from "effect"
import * as Packages from "../../../src/drivers/k3s/Packages.ts"
import { temporaryDirectory } from "../../machine/Fixture.ts"

const HARNESS = new URL("../../../", import.meta.url).pathname
const OPTIONAL = new Set(["testcontainers", "@testcontainers"])
const REMEDY = "install its packages with `pnpm add -D testcontainers @testcontainers/k3s`"

/** A program of its own, which tells what it found on its standard output: that is how it answers. */
const ASKS = `
import { Effect } from "effect"
import { Drivers, Fleet } from "./src/index.ts"
import { K3s } from "./src/k3s.ts"
const started = await Fleet.start({ driver: K3s.driver, parent: "hub" }).catch((error) => error)
const { leftOut } = await Effect.runPromise(Drivers.select(undefined))
console.log(JSON.stringify({
  available: await Effect.runPromise(K3s.driver.available),
  leftOut: leftOut.find(({ driver }) => driver === "k3s")?.remedy,
  tag: started.reason?._tag,
  message: started.message
}))
`

const Said = Schema.fromJsonString(
  Schema.Struct({
    available: Schema.Struct({ _tag: Schema.String, remedy: Schema.String }),
    leftOut: Schema.String,
    tag: Schema.String,
    message: Schema.String
  })
)

describe("the k3s driver without its packages", () => {
  it.effect("nothing is missing where they are installed", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* Packages.remedy))
    })
  )

  it.live(
    "can be imported, is missing with the command that brings it, and a start says the same",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const out = yield* Effect.promise(async () => {
          await cp(join(HARNESS, "src"), join(directory, "src"), { recursive: true })
          await writeFile(join(directory, "package.json"), '{ "type": "module" }')
          await writeFile(join(directory, "asks.ts"), ASKS)
          const installed = join(HARNESS, "node_modules")
          const modules = join(directory, "node_modules")
          await mkdir(modules)
          for (const name of await readdir(installed)) {
            if (!OPTIONAL.has(name) && !name.startsWith(".")) await symlink(join(installed, name), join(modules, name))
          }
          const { stdout } = await promisify(execFile)(process.execPath, [
            "--conditions=@quarterdeck/source",
            join(directory, "asks.ts")
          ])
          return stdout
        })
        const { available, leftOut, message, tag } = yield* Schema.decodeUnknownEffect(Said)(out)
        assert.strictEqual(available._tag, "Missing")
        assert.include(available.remedy, REMEDY)
        assert.include(leftOut, REMEDY)
        assert.strictEqual(tag, "DriverUnavailable")
        assert.include(message, `cluster hub: the k3s driver cannot run here: ${REMEDY}`)
      }),
    { timeout: 120_000 }
  )
})
