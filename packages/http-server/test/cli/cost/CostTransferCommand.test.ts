import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { keep } from "../../e2e/costHistory.ts"
import { quarterdeck } from "../program.ts"

const LIMIT = { timeout: 120_000 }

/** A history of two clusters that no test changes, its export, and a place for others. */
const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-transfer-" })
  const at = (name: string) => join(directory, name)
  yield* keep(["hub", "prod"])(at("data"))
  const { status, stderr, stdout } = yield* quarterdeck(["cost", "export", "--data", at("data")])
  assert.deepStrictEqual([stderr, status], ["quarterdeck: exported 96 hours of 2 clusters\n", 0])
  return { at, files, csv: stdout }
})

class Exported extends Context.Service<Exported, Effect.Success<typeof make>>()(
  "@quarterdeck/http-server/test/Exported"
) {
  static readonly layer = Layer.effect(Exported, make).pipe(Layer.provideMerge(NodeServices.layer), Layer.orDie)
}

layer(Exported.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "quarterdeck cost export and import",
  (it) => {
    it.effect(
      "carries a history to another directory, hour by hour as it was",
      () =>
        Effect.gen(function* () {
          const { at, csv, files } = yield* Exported
          yield* files.writeFileString(at("hours.csv"), csv)
          const imported = yield* quarterdeck(["cost", "import", at("hours.csv"), "--data", at("other")])
          assert.deepStrictEqual(imported, { stdout: "", stderr: "quarterdeck: imported 96 hours\n", status: 0 })
          assert.strictEqual((yield* quarterdeck(["cost", "export", "--data", at("other")])).stdout, csv)

          const env = { QUARTERDECK_DATA: at("other") }
          const again = yield* quarterdeck(["cost", "import", "-"], { env, stdin: csv })
          assert.strictEqual(
            again.stderr,
            "quarterdeck: imported 0 hours, skipped 96 that exist (--replace replaces them)\n"
          )
          const replaced = yield* quarterdeck(["cost", "import", "-", "--replace"], { env, stdin: csv })
          assert.strictEqual(replaced.stderr, "quarterdeck: imported 96 hours\n")
          assert.strictEqual((yield* quarterdeck(["cost", "export"], { env })).stdout, csv)
        }),
      LIMIT
    )

    it.effect(
      "exports the clusters and hours that are asked for",
      () =>
        Effect.gen(function* () {
          const { at, csv } = yield* Exported
          const hour = /^hour,prod,([^,]+),/m.exec(csv)?.[1] ?? ""
          const from = Date.parse(hour)
          const window = ["--from", String(from), "--to", String(from + 3 * 3_600_000)]
          const some = yield* quarterdeck(["cost", "export", "--data", at("data"), "--clusters", "prod", ...window])
          assert.strictEqual(some.stderr, "quarterdeck: exported 3 hours of 1 cluster\n")
          assert.lengthOf(some.stdout.match(/^hour,prod,/gm) ?? [], 3)
          assert.notInclude(some.stdout, ",hub,")
          const none = yield* quarterdeck(["cost", "export", "--data", at("data"), "--clusters", "prod,typo"])
          assert.strictEqual(none.stderr, "quarterdeck: no costs of typo; the history has: hub, prod\n")
          assert.strictEqual(none.status, 1)
        }),
      LIMIT
    )

    it.effect(
      "refuses half a file, a changed one and none at all, with the line at fault",
      () =>
        Effect.gen(function* () {
          const { at, csv } = yield* Exported
          const lines = csv.split("\r\n")
          const refused: ReadonlyArray<readonly [string | Uint8Array, RegExp]> = [
            [
              csv.slice(0, csv.length / 2),
              /^quarterdeck: standard input: line \d+: [^\n]+; earlier hours were imported: /
            ],
            [lines.slice(0, 2).join("\r\n"), /standard input: line 2: the file ends before all series of hub /],
            [csv.slice(0, csv.lastIndexOf("end,")), /line \d+: the file ends here, without an end record: /],
            [
              csv.replace(/(?<=^series,.*,Deployment,api,.*),[1-9]\d*,/m, ",10,"),
              /line 2: hub \S+ was modified: its checksum does not match/
            ],
            [csv.replace("record,", "records,"), /line 1: expected the header of a supported export version/],
            ["", /line 1: the file is empty; expected a header/],
            [
              Uint8Array.of(...Buffer.from(csv.slice(0, 40)), 0xff),
              /^quarterdeck: standard input is not text in UTF-8\n$/
            ]
          ]
          for (const [stdin, line] of refused) {
            const { status, stderr } = yield* quarterdeck(["cost", "import", "-", "--data", at("half")], { stdin })
            assert.match(stderr, line)
            assert.lengthOf(stderr.trimEnd().split("\n"), 1)
            assert.strictEqual(status, 1)
          }
          const whole = yield* quarterdeck(["cost", "import", "-", "--data", at("half")], { stdin: csv })
          assert.match(whole.stderr, /^quarterdeck: imported \d+ hours, skipped \d+ that exist/)
          assert.strictEqual((yield* quarterdeck(["cost", "export", "--data", at("half")])).stdout, csv)
        }),
      LIMIT
    )

    it.effect(
      "leaves a history alone that a server has open, and one that is not there",
      () =>
        Effect.gen(function* () {
          const { at, csv, files } = yield* Exported
          const server = new DatabaseSync(at("data/cost.sqlite"))
          server.exec("PRAGMA journal_mode = WAL; SELECT count(*) FROM steps")
          for (const args of [["export"], ["import", "-"]]) {
            const { status, stderr, stdout } = yield* quarterdeck(["cost", ...args, "--data", at("data")], {
              stdin: csv
            })
            assert.match(
              stderr,
              /^quarterdeck: \S+: could not open the cost history: another program has the file open: /
            )
            assert.deepStrictEqual([stdout, status], ["", 1])
          }
          server.close()
          const nowhere = yield* quarterdeck(["cost", "export", "--data", at("nowhere")])
          assert.match(nowhere.stderr, /^quarterdeck: no cost history in \S+nowhere: /)
          assert.strictEqual(yield* files.exists(at("nowhere")), false)
          const missing = yield* quarterdeck(["cost", "import", at("missing.csv"), "--data", at("new")])
          assert.match(missing.stderr, /^quarterdeck: cannot read \S+missing\.csv: does not exist\n$/)
          assert.strictEqual(yield* files.exists(at("new")), false)
        }),
      LIMIT
    )

    it.effect(
      "refuses two histories at once, and tells no password of a server that does not answer",
      () =>
        Effect.gen(function* () {
          const two = yield* quarterdeck(["cost", "export", "--data", "a", "--cost-url", "http://localhost:1"])
          assert.strictEqual(two.stderr, "quarterdeck: --data and --cost-url cannot be used together\n")
          assert.strictEqual(two.status, 2)
          const env = { QUARTERDECK_COST_URL: "http://me:s3cret@127.0.0.1:1/costs" }
          const down = yield* quarterdeck(["cost", "export"], { env })
          assert.match(down.stderr, /^quarterdeck: ClickHouse: could not [^\n]+\n$/)
          assert.notInclude(down.stderr, "s3cret")
          assert.strictEqual(down.status, 1)
        }),
      LIMIT
    )
  }
)
