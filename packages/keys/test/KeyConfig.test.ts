import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Redacted } from "effect"
import { chmod, mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { KeyConfig } from "../src/KeyConfig.ts"
import * as KeyHash from "../src/KeyHash.ts"
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
import { collectLogs } from "./observed.ts"
import { hashOf } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const startFailure = (path: string) => Effect.flip(withFile(path, Effect.void))

describe("the file of deploy-time keys", { concurrent: true }, () => {
  it.live("is in force from the start", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      yield* write(path, listOf(entry("one", "a"), entry("two", "b")))
      yield* withFile(
        path,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* namesIn, ["one", "two"])
          assert.deepStrictEqual(yield* health, { refused: [] })
        })
      )
    })
  )

  it.live("takes over a change: added entries count, removed ones are revoked", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      yield* write(path, listOf(entry("one", "a"), entry("two", "b")))
      yield* withFile(
        path,
        Effect.gen(function* () {
          const before = yield* (yield* KeyConfig).current
          yield* write(path, listOf(entry("two", "b"), entry("three", "c")))
          yield* waitForNames("two", "three")
          const after = yield* (yield* KeyConfig).current
          assert.deepStrictEqual([...after.removed.keys()], [hashOf("a")])
          assert.deepStrictEqual(after.byHash.get(hashOf("b"))?.loadedAt, before.byHash.get(hashOf("b"))?.loadedAt)
          yield* write(path, listOf(entry("one", "a")))
          yield* waitForNames("one")
          assert.sameMembers([...(yield* (yield* KeyConfig).current).removed.keys()], [hashOf("b"), hashOf("c")])
        })
      )
    })
  )

  it.live("follows the links of a mounted Secret, which are swapped as a whole", () =>
    Effect.gen(function* () {
      const mount = yield* temporaryDirectory
      const publish = (version: string, text: string) =>
        Effect.promise(async () => {
          await mkdir(join(mount, version))
          await writeFile(join(mount, version, "keys"), text)
          await symlink(version, join(mount, "..data_tmp"))
          await rename(join(mount, "..data_tmp"), join(mount, "..data"))
        })
      yield* publish("..v1", listOf(entry("one", "a")))
      yield* Effect.promise(() => symlink(join("..data", "keys"), join(mount, "keys")))
      yield* withFile(
        join(mount, "keys"),
        Effect.gen(function* () {
          yield* publish("..v2", listOf(entry("two", "b")))
          yield* waitForNames("two")
          yield* Effect.promise(() => rm(join(mount, "..v1"), { recursive: true }))
          yield* publish("..v3", listOf(entry("three", "c")))
          yield* waitForNames("three")
        })
      )
    })
  )

  it.live("is followed also where its directory is replaced and can no longer be watched", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryDirectory
      const directory = join(parent, "config")
      const path = join(directory, "keys")
      yield* Effect.promise(() => mkdir(directory))
      yield* write(path, listOf(entry("one", "a")))
      yield* withFile(
        path,
        Effect.gen(function* () {
          yield* Effect.promise(() => rename(directory, join(parent, "old")))
          yield* Effect.promise(() => mkdir(directory))
          yield* write(path, listOf(entry("two", "b")))
          yield* waitForNames("two")
        })
      )
    })
  )

  it.live("keeps the last good keys while it is broken, and says so until it is mended", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      const good = listOf(entry("one", "a"))
      const logs = collectLogs()
      yield* write(path, good)
      yield* withFile(
        path,
        Effect.gen(function* () {
          yield* write(path, "- name: [")
          yield* waitForAlarm("is not YAML")
          assert.deepStrictEqual(yield* namesIn, ["one"])
          const alarms = logs.lines.filter((line) => line.startsWith("Error"))
          assert.strictEqual(alarms.length, 1)
          assert.include(alarms[0], "the keys that were loaded before stay in force")

          yield* write(path, "")
          yield* waitForAlarm("must be a list of keys")
          assert.deepStrictEqual(yield* namesIn, ["one"])

          yield* write(path, good)
          yield* waitForCalm
          assert.deepStrictEqual(yield* namesIn, ["one"])
        }),
        logs.layer
      )
    })
  )

  it.live("keeps the last good keys while it is gone", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      yield* write(path, listOf(entry("one", "a")))
      yield* withFile(
        path,
        Effect.gen(function* () {
          yield* Effect.promise(() => unlink(path))
          yield* waitForAlarm("ENOENT")
          assert.deepStrictEqual(yield* namesIn, ["one"])
          yield* write(path, listOf(entry("two", "b")))
          yield* waitForNames("two")
          yield* waitForCalm
        })
      )
    })
  )

  it.live("tells every fault of refused entries by name and line, counts the entries, and loads the others", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      const logs = collectLogs()
      yield* write(
        path,
        [
          `- { name: one, hash: ${hashOf("a")}, rule: { role: Viewer } }`,
          "",
          "- name: two",
          `  hash: ${hashOf("e").toUpperCase()}`,
          "  expire: 90d",
          "  rule: { role: Root, targetCluster: [x] }",
          `- { name: three, hash: ${hashOf("e")}, rule: {} }`,
          "- expire: 2030-01-01T00:00:00Z"
        ].join("\n")
      )
      yield* withFile(
        path,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* namesIn, ["one"])
          assert.deepStrictEqual(
            (yield* health).refused.map(({ index, line }) => ({ index, line })),
            [
              { index: 1, line: 3 },
              { index: 2, line: 7 },
              { index: 3, line: 8 }
            ]
          )
          assert.deepStrictEqual(
            logs.lines.filter((line) => line.startsWith("Error")),
            [
              'entry "two" (line 3) is refused: rule.targetCluster: is not known here; allowed: role, targetNamespaces, targetClusters',
              'entry "two" (line 3) is refused: hash: expected a SHA-256 in 64 lowercase hexadecimal digits',
              'entry "two" (line 3) is refused: rule.role: expected Viewer, Operator or Admin',
              'entry "two" (line 3) is refused: expire: must be an RFC 3339 instant in UTC, ending in Z or +00:00',
              'entry "three" (line 7) is refused: rule.role: is required',
              'entry "three" (line 7) is refused: hash: belongs to a created key',
              "entry 3 (line 8) is refused: name: is required",
              "entry 3 (line 8) is refused: hash: is required",
              "entry 3 (line 8) is refused: rule: is required"
            ].map((line) => `Error keys file ${path}: ${line}`)
          )
          assert.notInclude(logs.lines.join("\n").toLowerCase(), hashOf("e"))
          const gauges = Object.fromEntries(
            (yield* Metric.snapshot).flatMap((metric) =>
              metric.type === "Gauge" ? [[metric.id, metric.state.value]] : []
            )
          )
          assert.deepStrictEqual(gauges, {
            quarterdeck_key_config_entries: 1,
            quarterdeck_key_config_refused_entries: 3,
            quarterdeck_key_config_alarm: 0
          })
        }),
        Layer.merge(logs.layer, Layer.succeed(Metric.MetricRegistry, new Map()))
      )
    })
  )

  it.live("loads an entry that has expired, with a warning", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      const logs = collectLogs()
      yield* write(path, listOf(entry("old", "a", { expire: "2001-01-01T00:00:00Z" })))
      yield* withFile(
        path,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* namesIn, ["old"])
          assert.include(logs.lines, `Warn keys file ${path}: entry "old" (line 1) has expired`)
        }),
        logs.layer
      )
    })
  )

  it.live("never writes a hash or a mistaken key into the log, also where a name should stand", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      const logs = collectLogs()
      const raw = "qd_0123456789abcdefghijkl"
      const expire = "2001-01-01T00:00:00Z"
      yield* write(
        path,
        listOf(
          entry("one", "a"),
          entry("two", "b", { hash: "qd_mistaken" }),
          entry("three", "e"),
          entry("ci hunter2", "b", { hash: "ci hunter2" }),
          entry(raw, "c", { expire }),
          entry(hashOf("d"), "c", { rule: {} }),
          entry("hunter3", "b", { hash: KeyHash.fromRawKey(Redacted.make("hunter3")), expire })
        )
      )
      yield* withFile(path, namesIn, logs.layer)
      for (const secret of [hashOf("a"), hashOf("d"), hashOf("e"), "qd_mistaken", raw, "hunter"]) {
        assert.notInclude(logs.lines.join("\n"), secret)
      }
      assert.include(logs.lines, `Warn keys file ${path}: entry 6 (line 1) has expired`)
    })
  )

  it.live.each([
    ["is missing", () => Effect.void, "cannot be read (ENOENT)"],
    ["is a directory", (path: string) => Effect.promise(() => mkdir(path)), "is not a file"],
    ["is no list", (path: string) => write(path, "keys: []"), "must be a list of keys; write [] for an empty list"],
    ["is broken", (path: string) => write(path, "[{ name: a"), "line 1: is not YAML"],
    [
      "is not text",
      (path: string) => Effect.promise(() => writeFile(path, Buffer.from([0xff, 0xfe]))),
      "is not UTF-8 text"
    ],
    ["is too large", (path: string) => write(path, `#${" ".repeat(1_048_576)}`), "is larger than 1048576 bytes"]
  ] as const)("stops the start with one clear error when it %s", ([_name, prepare, problem]) =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "keys")
      yield* prepare(path)
      const { message } = yield* startFailure(path)
      assert.isTrue(message.startsWith(`keys file ${path}: ${problem}`), message)
    })
  )

  it.live("warns of a file that other users can read, and not of one in a Secret's volume", () =>
    Effect.gen(function* () {
      const mount = yield* temporaryDirectory
      const [open, closed, secret] = [join(mount, "open"), join(mount, "closed"), join(mount, "secret")]
      yield* Effect.promise(async () => {
        for (const path of [open, closed]) await writeFile(path, "[]")
        await chmod(open, 0o644)
        await chmod(closed, 0o640)
        await mkdir(join(mount, "..v1"))
        await writeFile(join(mount, "..v1", "secret"), "[]", { mode: 0o644 })
        await symlink("..v1", join(mount, "..data"))
        await symlink(join("..data", "secret"), secret)
      })
      const logs = collectLogs()
      yield* withFiles([open, closed, secret], Effect.void, logs.layer)
      assert.deepStrictEqual(
        logs.lines.filter((line) => line.startsWith("Warn")),
        [`Warn keys file ${open}: other users of this machine can read it; run chmod o-r on it`]
      )
    })
  )

  it.effect("is not needed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesIn, [])
      assert.deepStrictEqual(yield* health, { refused: [] })
    }).pipe(Effect.provide(KeyConfig.layerNone))
  )
})
