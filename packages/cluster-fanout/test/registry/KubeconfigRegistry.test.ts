import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Logger, Metric, Stream } from "effect"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { codes, config, live, names, workplace } from "../fixture/KubeconfigFiles.ts"
import { eventually } from "../fixture/Waiting.ts"

describe("the start", () => {
  it.live("the current context's cluster is the parent and comes first, the others by name", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["b", "z", "a"], "z"))
        const snapshot = yield* (yield* start({})).snapshot
        assert.strictEqual(snapshot.parent, "z")
        assert.deepStrictEqual(names(snapshot), ["z", "a", "b"])
        assert.deepStrictEqual(
          snapshot.clusters.map((cluster) => cluster.role),
          ["parent", "child", "child"]
        )
      })
    )
  )

  it.live("a named parent that no context gives fails with one line that lists the names", () =>
    live(
      Effect.gen(function* () {
        const { at, replace, start } = yield* workplace
        yield* replace("config", config(["b", "a"], "a"))
        const error = yield* Effect.flip(start({ parent: ClusterName.make("prod") }, ["config", "missing"]))
        assert.strictEqual(
          error.message,
          `the parent cluster prod does not exist; known clusters: a, b; ${at("missing")}: does not exist`
        )
      })
    )
  )

  it.live("a context is said to be unknown only where every file that exists could be read", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        yield* replace("broken", "contexts: [")
        const codesOf = (files: ReadonlyArray<string>) =>
          Effect.map(
            Effect.flatMap(start({ names: { b: "prod" } }, files), ({ snapshot }) => snapshot),
            codes
          )
        assert.deepStrictEqual(yield* codesOf(["config"]), ["contextUnknown"])
        assert.deepStrictEqual(yield* codesOf(["config", "missing"]), ["fileUnreadable", "contextUnknown"])
        assert.deepStrictEqual(yield* codesOf(["config", "broken"]), ["fileInvalid"])
      })
    )
  )

  it.live("without a usable current context and a named parent it fails", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"]))
        const error = yield* Effect.flip(start({}))
        assert.include(error.message, "no usable current context")
        assert.include(error.message, "known clusters: a")
      })
    )
  )

  it.live("a cluster from elsewhere goes before a context of its name and is the parent unless one is named", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["parent", "child"], "child"))
        const own = clusterAt({ server: "https://own.test", caPem: "" }, {}, ClusterName.make("parent"))
        const snapshot = yield* (yield* start({ own })).snapshot
        assert.strictEqual(snapshot.clusters[0]?.connection.server, "https://own.test")
        assert.deepStrictEqual(names(snapshot), ["parent", "child"])
        assert.deepStrictEqual(codes(snapshot), ["nameTaken"])
      })
    )
  )
})

describe("changes", () => {
  it.live("contexts come and go; those that stay keep their generation, those that change get a new one", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a", "b"], "a"))
        const registry = yield* start({})
        const before = yield* registry.snapshot
        yield* replace("config", config(["a", "c"], "a"))
        const after = yield* eventually(registry.snapshot, (snapshot) =>
          names(snapshot).includes(ClusterName.make("c"))
        )
        assert.deepStrictEqual(names(after), ["a", "c"])
        assert.strictEqual(after.clusters[0]?.generation, before.clusters[0]?.generation)
        yield* replace("config", config(["a", "c"], "a", "another token"))
        const rotated = yield* eventually(registry.snapshot, (snapshot) => snapshot !== after)
        assert.notStrictEqual(rotated.clusters[0]?.generation, before.clusters[0]?.generation)
      })
    )
  )

  it.live("a symlink that is swapped counts, as a mounted Secret does it", () =>
    live(
      Effect.gen(function* () {
        const { at, files, start } = yield* workplace
        for (const [version, contexts] of [
          ["v1", ["a"]],
          ["v2", ["a", "b"]]
        ] as const) {
          yield* files.makeDirectory(at(version))
          yield* files.writeFileString(at(`${version}/config`), config(contexts, "a"))
        }
        yield* files.symlink("v1", at("data"))
        yield* files.symlink("data/config", at("config"))
        const registry = yield* start({})
        yield* files.symlink("v2", at("data.new"))
        yield* files.rename(at("data.new"), at("data"))
        yield* eventually(registry.snapshot, (snapshot) => snapshot.clusters.length === 2)
      })
    )
  )

  it.live("a file that breaks or vanishes keeps its last good clusters, with a problem, and mends by itself", () =>
    live(
      Effect.gen(function* () {
        const { at, files, replace, start } = yield* workplace
        yield* replace("config", config(["a", "b"], "a"))
        yield* replace("more", config(["c"]))
        const registry = yield* start({}, ["config", "more"])
        yield* replace("more", "contexts: [")
        const broken = yield* eventually(registry.snapshot, (snapshot) => snapshot.problems.length > 0)
        assert.deepStrictEqual(names(broken), ["a", "b", "c"])
        assert.deepStrictEqual(codes(broken), ["fileInvalid"])
        yield* files.remove(at("more"))
        const gone = yield* eventually(registry.snapshot, (snapshot) => codes(snapshot)[0] === "fileUnreadable")
        assert.deepStrictEqual(names(gone), ["a", "b", "c"])
        yield* replace("more", config(["d"]))
        const mended = yield* eventually(registry.snapshot, (snapshot) => snapshot.problems.length === 0)
        assert.deepStrictEqual(names(mended), ["a", "b", "d"])
      })
    )
  )

  it.live("a file that appears later is taken up", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        const registry = yield* start({}, ["config", "later"])
        assert.deepStrictEqual(
          (yield* registry.snapshot).problems.map(({ severity }) => severity),
          ["warning"]
        )
        yield* replace("later", config(["b"]))
        const snapshot = yield* eventually(registry.snapshot, (present) => present.clusters.length === 2)
        assert.deepStrictEqual(snapshot.problems, [])
      })
    )
  )

  it.live("the parent stays who it was when the current context moves, and a change that loses it is not taken", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a", "b"], "a"))
        const registry = yield* start({})
        yield* replace("config", config(["a", "b", "c"], "b"))
        const moved = yield* eventually(registry.snapshot, (snapshot) => snapshot.clusters.length === 3)
        assert.strictEqual(moved.parent, "a")
        yield* replace("config", config(["b", "c"], "b"))
        const kept = yield* eventually(registry.snapshot, (snapshot) => snapshot.problems.length > 0)
        assert.deepStrictEqual(names(kept), ["a", "b", "c"])
        assert.deepStrictEqual(codes(kept), ["parentMissing"])
      })
    )
  )

  it.live("listeners get the present snapshot first and then the next", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        const registry = yield* start({})
        const told = yield* registry.changes.pipe(
          Stream.tap((snapshot) =>
            snapshot.clusters.length === 1 ? replace("config", config(["a", "b"], "a")) : Effect.void
          ),
          Stream.take(2),
          Stream.map(names),
          Stream.runCollect
        )
        assert.deepStrictEqual(told, [["a"], ["a", "b"]])
      })
    )
  )
})

describe("what the operator sees", () => {
  it.live("a file that becomes invalid or disappears is reported once, and so is its return", () =>
    live(
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const { at, files, replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        yield* Effect.gen(function* () {
          const registry = yield* start({})
          yield* files.remove(at("config"))
          yield* eventually(registry.snapshot, (snapshot) => codes(snapshot).includes("fileUnreadable"))
          yield* replace("config", "clusters: [")
          yield* eventually(registry.snapshot, (snapshot) => codes(snapshot).includes("fileInvalid"))
          yield* replace("config", config(["a", "b"], "a"))
          yield* eventually(registry.snapshot, (snapshot) => snapshot.clusters.length === 2)
        }).pipe(Effect.provide(logger))
        assert.lengthOf(lines, 3)
        assert.strictEqual(lines[0], `cluster source: ${at("config")}: does not exist`)
        assert.match(lines[1] ?? "", /: is not YAML: /)
        assert.strictEqual(lines[2], `cluster source: ${at("config")}: has no problems any more`)
      })
    )
  )

  it.live("a problem is logged once, without secrets, and counted by code", () =>
    live(
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const { at, replace, start } = yield* workplace
        yield* replace("config", config(["a", "x@y", "x/y"], "a", "s3cr3t"))
        yield* Effect.gen(function* () {
          const registry = yield* start({})
          yield* replace("config", config(["a", "b", "x@y", "x/y"], "a", "s3cr3t"))
          yield* eventually(registry.snapshot, (snapshot) => snapshot.clusters.length === 3)
        }).pipe(Effect.provide(logger))
        assert.deepStrictEqual(lines, [
          `cluster source: ${at("config")}, context "x/y": cluster name x-y is already taken by context "x@y"; set another name for one of them in clusters.names`
        ])
        const snapshot = (yield* Metric.snapshot).find(
          ({ attributes, id }) => id === "quarterdeck_registry_problems" && attributes?.["code"] === "nameTaken"
        )
        assert.deepStrictEqual(snapshot?.state, { value: 1 })
      })
    )
  )
})
