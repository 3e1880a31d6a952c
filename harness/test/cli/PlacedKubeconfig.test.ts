/** A kubeconfig beside files of other people. */
import { assert, describe, it } from "@effect/vitest"
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import * as PlacedKubeconfig from "../../src/cli/PlacedKubeconfig.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"

const TEXT = "apiVersion: v1\nkind: Config\n"

describe("PlacedKubeconfig", () => {
  it.effect("refuses what somebody else wrote, and what a running fleet has, and leaves both as they are", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const theirs = join(directory, "theirs")
      const linked = join(directory, "linked")
      const ours = join(directory, "ours")
      yield* Effect.promise(() => writeFile(theirs, TEXT))
      yield* Effect.promise(() => symlink(theirs, linked))
      yield* PlacedKubeconfig.write(ours, TEXT, join(directory, "note"))
      for (const path of [theirs, linked, ours]) {
        const before = yield* Effect.promise(() => readFile(path, "utf8"))
        const { message } = yield* Effect.flip(
          Effect.scoped(PlacedKubeconfig.write(path, "other", join(directory, "other note")))
        )
        assert.include(message, "--kubeconfig must name a new file")
        assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), before)
      }
    })
  )

  it.effect("replaces what a dead process left, closes it to others, and leaves no draft", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const note = join(yield* temporaryDirectory, "note")
      const path = join(directory, "config")
      const written = yield* Effect.scoped(
        Effect.andThen(
          PlacedKubeconfig.write(path, TEXT, note),
          Effect.promise(() => readFile(path, "utf8"))
        )
      )
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), [])
      const [first = ""] = written.split("\n")
      // The same process number, but another start: nobody runs any more who is called so.
      const left = first.replace(/_[A-Za-z0-9-]+_/, "_0_")
      yield* Effect.promise(() => writeFile(path, `${left}\nold\n`, { mode: 0o644 }))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* PlacedKubeconfig.write(path, TEXT, note)
          assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), written)
          assert.strictEqual((yield* Effect.promise(() => stat(path))).mode & 0o777, 0o600)
          assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["config"])
        })
      )
    })
  )

  it.effect("leaves a file that was changed meanwhile", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "config")
      yield* Effect.scoped(
        Effect.andThen(
          PlacedKubeconfig.write(path, TEXT, join(directory, "note")),
          Effect.promise(() => writeFile(path, "mine now"))
        )
      )
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "mine now")
    })
  )

  it.effect("what a killed process placed goes by its note, but not once somebody changed it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const note = join(directory, "note")
      const path = join(directory, "config")
      yield* PlacedKubeconfig.write(path, TEXT, note)
      const written = yield* Effect.promise(() => readFile(path, "utf8"))

      yield* Effect.promise(() => writeFile(path, `${written}# mine\n`))
      yield* Effect.promise(() => PlacedKubeconfig.removeLeft(note))
      assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), `${written}# mine\n`)

      yield* Effect.promise(() => writeFile(path, written))
      yield* Effect.promise(() => PlacedKubeconfig.removeLeft(note))
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["note"])

      // Its second time finds nothing, and neither does one without a note.
      yield* Effect.promise(() => PlacedKubeconfig.removeLeft(note))
      yield* Effect.promise(() => PlacedKubeconfig.removeLeft(join(directory, "none")))
    })
  )
})
