import { assert, layer } from "@effect/vitest"
import { PriceEffect } from "@quarterdeck/cost/CostRow"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { Effect, FileSystem, Schema } from "effect"
import { Embedded, Fleet } from "@quarterdeck/harness"
import { CostWorld } from "../costWorld.ts"
import { problem, quarterdeck, serve, service } from "../program.ts"

const LIMIT = { timeout: 120_000 }
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(PriceBook), { onExcessProperty: "error" })

layer(CostWorld.layer, { timeout: "60 seconds", excludeTestServices: true })("quarterdeck prices", (it) => {
  it.effect(
    "sets the book that get printed, once, and tells the field of what is wrong",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { at, run } = yield* CostWorld
        const first = yield* run("prices", "get")
        assert.match(first.stdout, /^version: 1\ncurrency: USD\nrate: 1\ndefault:\n {2}aws:\n/)
        const file = at("prices.yaml")
        const edited = `# The discount of our contract.\n${first.stdout}`
          .replace("rate: 1\n", "rate: 0.5\n")
          .replace(
            /overrides: \[\]\n/,
            "overrides:\n  - resource: node\n    match: { cluster: prod }\n    discountPercent: 10\n"
          )
        yield* files.writeFileString(file, edited)
        const set = yield* run("prices", "set", file)
        assert.deepStrictEqual(set, {
          stdout: "",
          stderr: "quarterdeck: the price book now has version 2\n",
          status: 0
        })
        const { currency, overrides, rate, version } = yield* decode((yield* run("prices", "get", "-o", "json")).stdout)
        assert.deepStrictEqual([version, rate, currency], [2, 0.5, "USD"])
        assert.strictEqual(
          JSON.stringify(overrides),
          '[{"resource":"node","match":{"cluster":"prod"},"discountPercent":10}]'
        )

        const stale = yield* run("prices", "set", file)
        assert.match(
          stale.stderr,
          /^quarterdeck: Prices stale: version: is 1, but the price book is at version 2 now; read it again \(HTTP 409, code prices_stale, field version, request [^\n]+\)\n$/
        )
        assert.strictEqual(stale.status, 1)

        const refused: ReadonlyArray<readonly [string, string]> = [
          ["match: { clutser: prod }", "overrides[0].match.clutser"],
          ["match: {}\n    discountPercent: 200 #", "overrides[0].discountPercent"]
        ]
        for (const [match, field] of refused) {
          yield* files.writeFileString(
            file,
            edited
              .replace("match: { cluster: prod }", match)
              .replace("version: 1", "version: 2")
              .replace("#\n    discountPercent: 10", "")
          )
          const { status, stderr } = yield* run("prices", "set", file)
          assert.match(stderr, /^quarterdeck: Invalid body: [^\n]+\n$/)
          assert.include(stderr, `(HTTP 400, code invalid_body, field ${field}, `)
          assert.strictEqual(status, 1)
        }
        assert.strictEqual((yield* decode((yield* run("prices", "get", "-o", "json")).stdout)).version, 2)
      }),
    LIMIT
  )

  it.effect(
    "--dry-run tells what the last seven days would have cost, and sets nothing",
    () =>
      Effect.gen(function* () {
        const { env, run } = yield* CostWorld
        const { stdout: book } = yield* run("prices", "get")
        const dry = (...args: ReadonlyArray<string>) =>
          quarterdeck(["prices", "set", "--dry-run", "-", ...args], {
            env,
            stdin: book.replace(/overrides:[^]*/, "overrides: [{ resource: node, match: {}, cpuPerCoreHour: 0 }]\n")
          })
        const table = yield* dry()
        assert.match(
          table.stdout,
          /^LAST 7 DAYS +BEFORE +AFTER +CHANGE\ncpu +\d+\.\d\d +0\.00 +-\d+\.\d\d \(-100%\)\nmemory +\d/
        )
        assert.match(table.stdout, /\nworkloads +\d/)
        assert.deepStrictEqual([table.stderr, table.status], ["quarterdeck: nothing was changed\n", 0])
        const json = yield* dry("-o", "json")
        const { after, before } = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(PriceEffect))(json.stdout)
        assert.strictEqual(after.cpuCost, 0)
        assert.isAbove(before.cpuCost, 0)
        assert.match((yield* dry("-o", "csv")).stdout, /^part,before,after\ncpu,[\d.]+,0\n/)
        assert.strictEqual((yield* run("prices", "get")).stdout, book)
        const stale = yield* quarterdeck(["prices", "set", "--dry-run", "-"], {
          env,
          stdin: book.replace(/^version: \d+/, "version: 9999")
        })
        assert.match(stale.stderr, /^quarterdeck: Prices stale: /)
        assert.deepStrictEqual([stale.stdout, stale.status], ["", 1])
      }),
    LIMIT
  )

  it.effect(
    "reads a book from standard input, and names the place of what is no YAML",
    () =>
      Effect.gen(function* () {
        const { env, seen } = yield* service(() => ({ body: { version: 8, future: [1] } }))
        const set = yield* quarterdeck(["prices", "set", "-"], { env, stdin: '{"version": 7, "future": [1]}' })
        assert.strictEqual(set.stderr, "quarterdeck: the price book now has version 8\n")
        assert.deepStrictEqual([seen[0]?.method, seen[0]?.body], ["PUT", '{"version":7,"future":[1]}'])
        const get = yield* quarterdeck(["prices", "get"], { env })
        assert.strictEqual(get.stdout, "version: 8\nfuture:\n  - 1\n")
        for (const [stdin, line] of [
          ["version: 1\nversion: 2\n", /^quarterdeck: standard input:2:1: duplicate key\n$/],
          ["rate: .nan\n", /^quarterdeck: standard input: rate: /],
          ["- 1\n", /^quarterdeck: standard input: expected an object\n$/]
        ] as const) {
          const { status, stderr } = yield* quarterdeck(["prices", "set", "-"], { env, stdin })
          assert.match(stderr, line)
          assert.strictEqual(status, 1)
        }
        assert.lengthOf(seen, 2)
      }),
    LIMIT
  )

  it.effect(
    "names a directory, and what an override may be for, in words; every example of its help can be typed",
    () =>
      Effect.gen(function* () {
        const { at, env, run } = yield* CostWorld
        const directory = yield* run("prices", "set", at("data"))
        assert.match(directory.stderr, /^quarterdeck: cannot read \S+data: it is a directory\n$/)
        const { stdout } = yield* run("prices", "get", "-o", "json")
        const book = yield* Schema.decodeUnknownEffect(
          Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
        )(stdout)
        const set = (change: object) =>
          quarterdeck(["prices", "set", "-"], { env, stdin: JSON.stringify({ ...book, ...change }) })
        const wrong = yield* set({ overrides: [{ resource: "disk", match: {}, storagePerGiBHour: 1 }] })
        assert.include(
          wrong.stderr,
          "Invalid body: overrides[0].resource: expected node, storage, egress, loadBalancer or cluster (HTTP 400"
        )
        const tiny = yield* set({ overrides: [{ resource: "storage", match: {}, storagePerGiBHour: 1e-14 }] })
        assert.include(tiny.stderr, "Invalid body: overrides[0].storagePerGiBHour: is so small that it rounds to 0")
        // The currency of costs that there are stays: no example may change it.
        assert.notInclude((yield* run("prices", "set", "--help")).stdout, "currency")
      }),
    LIMIT
  )

  it.effect(
    "--dry-run says that nothing is known yet where no cost was seen, instead of zeros",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: [] })
        const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-prices-" })
        yield* files.writeFileString(`${directory}/kubeconfig.yaml`, fleet.kubeconfig)
        const { url } = yield* serve([
          ...["--port", "0", "--kubeconfig", `${directory}/kubeconfig.yaml`, "--data", `${directory}/data`],
          ...["--bootstrap-key-file", `${directory}/first.key`]
        ])
        const key = (yield* files.readFileString(`${directory}/first.key`)).trim()
        const env = { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: key }
        const { stdout: stdin } = yield* quarterdeck(["prices", "get"], { env })
        const { status, stdout } = yield* quarterdeck(["prices", "set", "--dry-run", "-"], { env, stdin })
        const parts = ["cpu", "memory", "storage", "workloads", "beside workloads"]
        assert.deepStrictEqual(
          stdout
            .trimEnd()
            .split("\n")
            .map((line) => line.split(/ {2,}/)),
          [
            ["LAST 7 DAYS", "BEFORE", "AFTER", "CHANGE"],
            ...parts.map((part) => [part, "not known yet", "not known yet", "not known yet"])
          ]
        )
        assert.strictEqual(status, 0)
      }),
    LIMIT
  )

  it.effect(
    "says that a key may not change prices",
    () =>
      Effect.gen(function* () {
        const { env } = yield* service(() => problem(403, "role_forbidden"))
        const { status, stderr } = yield* quarterdeck(["prices", "set", "-"], { env, stdin: "version: 1\n" })
        assert.match(stderr, /^quarterdeck: Refused: the reason \(HTTP 403, code role_forbidden, /)
        assert.strictEqual(status, 1)
      }),
    LIMIT
  )
})
