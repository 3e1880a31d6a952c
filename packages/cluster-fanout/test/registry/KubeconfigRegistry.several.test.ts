import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stringify } from "yaml"
import { codes, config, live, names, workplace } from "../fixture/KubeconfigFiles.ts"
import { eventually } from "../fixture/Waiting.ts"

describe("several files", () => {
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

  it.live("clusters without proxy-url go through the proxy of the environment, and a broken one leaves them out", () =>
    live(
      Effect.gen(function* () {
        const { replace, start } = yield* workplace
        yield* replace("config", config(["a"], "a"))
        const proxyOf = (variables: Readonly<Record<string, string>>) =>
          Effect.gen(function* () {
            const { clusters } = yield* (yield* start({ variables }, ["config"])).snapshot
            return clusters[0]?.connection.proxyUrl
          })
        assert.strictEqual(yield* proxyOf({ HTTPS_PROXY: "socks5://proxy.test" }), "socks5://proxy.test")
        assert.isUndefined(yield* proxyOf({ HTTPS_PROXY: "http://proxy.test", NO_PROXY: "*" }))
        const error = yield* Effect.flip(start({ variables: { HTTPS_PROXY: "ftp://proxy.test" } }, ["config"]))
        assert.include(error.message, "the proxy set in the environment has the scheme ftp")
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
})
