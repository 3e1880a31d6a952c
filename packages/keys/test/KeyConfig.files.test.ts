import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { KeyConfig } from "../src/KeyConfig.ts"
import {
  entry,
  health,
  listOf,
  namesIn,
  waitForAlarm,
  waitForCalm,
  waitForNames,
  withFile,
  withFiles,
  write
} from "./keysFiles.ts"
import { eventually } from "./observed.ts"
import { hashOf } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

describe("several files of deploy-time keys", { concurrent: true }, () => {
  const inDirectory = Effect.map(temporaryDirectory, (directory) => ({
    first: join(directory, "first"),
    second: join(directory, "second")
  }))

  it.live("are read as one list, and each is followed", () =>
    Effect.gen(function* () {
      const { first, second } = yield* inDirectory
      yield* write(first, listOf(entry("one", "a")))
      yield* write(second, listOf(entry("two", "b"), entry("one", "c")))
      yield* withFiles(
        [first, second],
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* namesIn, ["one", "two", "one"])
          const { byHash } = yield* (yield* KeyConfig).current
          assert.strictEqual(byHash.get(hashOf("c"))?.id, `${byHash.get(hashOf("a"))?.id}_2`)
          yield* write(second, listOf(entry("three", "b")))
          yield* waitForNames("one", "three")
          yield* write(first, listOf(entry("four", "d")))
          yield* waitForNames("four", "three")
          assert.sameMembers([...(yield* (yield* KeyConfig).current).removed.keys()], [hashOf("a"), hashOf("c")])
        })
      )
    })
  )

  it.live("are followed also in directories of their own", () =>
    Effect.gen(function* () {
      const [{ first }, { second }] = [yield* inDirectory, yield* inDirectory]
      yield* write(first, listOf(entry("one", "a")))
      yield* write(second, listOf(entry("two", "b")))
      yield* withFiles(
        [first, second],
        Effect.gen(function* () {
          yield* write(second, listOf(entry("three", "c")))
          yield* waitForNames("one", "three")
        })
      )
    })
  )

  it.live("load no key whose hash stands in two of them, and say where", () =>
    Effect.gen(function* () {
      const { first, second } = yield* inDirectory
      yield* write(first, listOf(entry("one", "a"), entry("two", "b")))
      yield* write(second, listOf(entry("three", "b")))
      yield* withFiles(
        [first, second],
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* namesIn, ["one"])
          const problem = `is shared by entry "two" (line 1) of ${first} and entry "three" (line 1) of ${second}; none of them is loaded`
          assert.deepStrictEqual(
            (yield* health).refused.map(({ faults, file, index }) => ({ faults, file, index })),
            [
              { file: 0, index: 1, faults: [{ field: "hash", problem }] },
              { file: 1, index: 0, faults: [{ field: "hash", problem }] }
            ]
          )
          yield* write(second, "[]")
          yield* waitForNames("one", "two")
        })
      )
    })
  )

  it.live("keep the last good entries of one that breaks, and follow the others", () =>
    Effect.gen(function* () {
      const { first, second } = yield* inDirectory
      yield* write(first, listOf(entry("one", "a")))
      yield* write(second, listOf(entry("two", "b")))
      yield* withFiles(
        [first, second],
        Effect.gen(function* () {
          yield* write(first, "- name: [")
          yield* waitForAlarm(first)
          yield* write(second, "[]")
          yield* waitForNames("one")
          yield* waitForAlarm(first)
          yield* write(first, listOf(entry("three", "c")))
          yield* waitForNames("three")
          yield* waitForCalm
        })
      )
    })
  )

  it.live("are read once however often one is named", () =>
    Effect.gen(function* () {
      const { first } = yield* inDirectory
      yield* write(first, listOf(entry("one", "a")))
      yield* withFiles(
        [first, join(first, "..", "first")],
        Effect.map(namesIn, (names) => {
          assert.deepStrictEqual(names, ["one"])
        })
      )
    })
  )

  it.live("stop the start when one is missing, with its name", () =>
    Effect.gen(function* () {
      const { first, second } = yield* inDirectory
      yield* write(first, "[]")
      const { message } = yield* Effect.flip(withFiles([first, second], Effect.void))
      assert.strictEqual(message, `keys file ${second}: cannot be read (ENOENT)`)
    })
  )

  it.live("knows a secret that was replaced by the name that it stood under, whose id the new one has", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      yield* write(path, listOf(entry("one", "a")))
      yield* withFile(
        path,
        Effect.gen(function* () {
          yield* write(path, listOf(entry("one", "b")))
          const config = yield* KeyConfig
          yield* eventually(Effect.map(config.current, ({ byHash }) => byHash.has(hashOf("b"))))
          const { byHash, removed } = yield* config.current
          const { id, name } = byHash.get(hashOf("b")) ?? {}
          assert.deepStrictEqual([...removed], [[hashOf("a"), { id, name }]])
        })
      )
    })
  )
})
