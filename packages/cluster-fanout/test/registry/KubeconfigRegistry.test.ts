import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, FileSystem, Layer, Logger, Metric, Path, Scope, Stream } from "effect"
import { stringify } from "yaml"
import { ClusterRegistry, type RegistrySnapshot } from "../../src/registry/ClusterRegistry.ts"
import { type KubeconfigRegistryOptions, layer, ReadInterval } from "../../src/registry/KubeconfigRegistry.ts"
import { clusterAt } from "../fixture/ClusterAt.ts"
import { eventually } from "../fixture/Waiting.ts"

const config = (contexts: ReadonlyArray<string>, current?: string, token = "t") =>
  stringify({
    clusters: [{ name: "c", cluster: { server: "https://c.test" } }],
    users: [{ name: "u", user: { token } }],
    contexts: contexts.map((name) => ({ name, context: { cluster: "c", user: "u" } })),
    "current-context": current
  })

/** A folder for files, and a registry over some of them. */
const workplace = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped()
  const at = (name: string) => path.join(directory, name)
  const replace = Effect.fnUntraced(function* (name: string, text: string) {
    yield* files.writeFileString(at(`${name}.new`), text)
    yield* files.rename(at(`${name}.new`), at(name))
  })
  const start = Effect.fnUntraced(function* (
    options: Omit<KubeconfigRegistryOptions, "files">,
    names: ReadonlyArray<string> = ["config"]
  ) {
    const built = Layer.fresh(layer({ ...options, files: names.map(at) }))
    const context = yield* Layer.buildWithScope(built, yield* Scope.Scope).pipe(
      Effect.provideService(ReadInterval, "20 millis")
    )
    return yield* ClusterRegistry.pipe(Effect.provide(context))
  })
  return { at, files, replace, start }
})

const names = (snapshot: RegistrySnapshot) => snapshot.clusters.map((cluster) => cluster.name)
const codes = (snapshot: RegistrySnapshot) => snapshot.problems.map((problem) => problem.code)
const live = <A, E>(effect: Effect.Effect<A, E, Scope.Scope | NodeServices.NodeServices>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

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
          `no cluster is named prod, which should be the parent; known clusters: a, b; ${at("missing")}: does not exist`
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

  it.live("an entry is not looked for behind a file that cannot be read, which may hold it", () =>
    live(
      Effect.gen(function* () {
        const { at, replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        yield* replace("broken", "contexts: [")
        yield* replace("borrower", stringify({ contexts: [{ name: "b", context: { cluster: "shared", user: "u" } }] }))
        yield* replace(
          "lender",
          stringify({ clusters: [{ name: "shared", cluster: { server: "https://last.test" } }] })
        )
        const registry = yield* start({}, ["config", "broken", "borrower", "lender"])
        const before = yield* registry.snapshot
        assert.deepStrictEqual(names(before), ["a"])
        assert.strictEqual(
          before.problems.at(-1)?.message,
          `cluster "shared" is not in this file and may be in ${at("broken")}, which is unreadable`
        )
        yield* replace(
          "broken",
          stringify({ clusters: [{ name: "shared", cluster: { server: "https://first.test" } }] })
        )
        const after = yield* eventually(registry.snapshot, ({ clusters }) => clusters.length === 2)
        assert.strictEqual(after.clusters[1]?.connection.server, "https://first.test")
      })
    )
  )

  it.live("a file that the list names twice is read once", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        const snapshot = yield* (yield* start({}, ["config", "./config"])).snapshot
        assert.deepStrictEqual([names(snapshot), codes(snapshot)], [["a"], []])
      })
    )
  )

  it.live("a file in UTF-16 is read, and one with bytes of no encoding is refused", () =>
    live(
      Effect.gen(function* () {
        const { at, files, replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        const text = config(["b"])
        yield* files.writeFile(at("little"), Buffer.from(`\ufeff${text}`, "utf16le"))
        yield* files.writeFile(
          at("big"),
          Buffer.from(`\ufeff${text.replace("name: b", "name: c")}`, "utf16le").swap16()
        )
        yield* files.writeFile(at("latin1"), Buffer.from(text.replace("name: b", "name: é"), "latin1"))
        const snapshot = yield* (yield* start({}, ["config", "little", "big", "latin1"])).snapshot
        assert.deepStrictEqual(names(snapshot), ["a", "b", "c"])
        assert.deepStrictEqual(
          snapshot.problems.map(({ message, source }) => [source, message]),
          [[at("latin1"), "is not UTF-8 text"]]
        )
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
  it.live("a context that breaks keeps its name from the others", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        const two = (first: string) =>
          stringify({
            clusters: [
              { name: "c", cluster: { server: first } },
              { name: "d", cluster: { server: "https://d.test" } }
            ],
            contexts: [
              { name: "x@y", context: { cluster: "c" } },
              { name: "x/y", context: { cluster: "d" } },
              { name: "a", context: { cluster: "d" } }
            ],
            "current-context": "a"
          })
        yield* replace("config", two("https://c.test"))
        const registry = yield* start({})
        yield* replace("config", two("none"))
        const broken = yield* eventually(registry.snapshot, ({ problems }) => problems.length === 2)
        assert.deepStrictEqual(names(broken), ["a"])
        assert.deepStrictEqual(codes(broken), ["contextIncomplete", "nameTaken"])
      })
    )
  )

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
  it.live("a file that breaks and one that goes are told once, and so is each that is back", () =>
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
        assert.strictEqual(lines[2], `cluster source: ${at("config")}: is in order again`)
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
          `cluster source: ${at("config")}, context "x/y": cluster name x-y is already taken by context "x@y"; give one of them another name by clusters.names`
        ])
        const snapshot = (yield* Metric.snapshot).find(
          ({ attributes, id }) => id === "quarterdeck_registry_problems" && attributes?.["code"] === "nameTaken"
        )
        assert.deepStrictEqual(snapshot?.state, { value: 1 })
      })
    )
  )
})
