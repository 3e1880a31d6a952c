import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { keep } from "../../e2e/costHistory.ts"
import { json, quarterdeck } from "../program.ts"

const LIMIT = { timeout: 120_000 }

layer(NodeServices.layer, { excludeTestServices: true })("quarterdeck cost check and repair", (it) => {
  /** A data directory with two days of a cluster. */
  const history = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const data = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-check-" })
    yield* keep(["hub"])(data)
    // As every server leaves it.
    yield* files.writeFileString(join(data, "holder.lock"), "")
    yield* files.writeFileString(join(data, "format"), "1\n")
    const file = join(data, "cost.sqlite")
    return { data, file, files, names: files.readDirectory(data) }
  })

  const damage = (file: string, statement: string) => {
    const database = new DatabaseSync(file)
    const { changes } = database.prepare(statement).run()
    database.close()
    assert.strictEqual(Number(changes), 1)
  }
  /** Of the day that is there whole: whatever the hour of the test, the one before and the one after it may not be. */
  const damaged = (hour: number) =>
    `UPDATE steps SET sums = randomblob(length(sums)) WHERE level = 0 AND step = ${hour} AND epoch =
      (SELECT epoch FROM steps WHERE level = 0 GROUP BY epoch HAVING count(*) = 24 LIMIT 1)`

  it.effect(
    "check says that a whole history is whole, and repair leaves it alone",
    () =>
      Effect.gen(function* () {
        const { data, names } = yield* history
        const before = yield* names
        const checked = yield* quarterdeck(["cost", "check", "--data", data])
        assert.match(checked.stderr, /^quarterdeck: 48 hours and \d days checked, nothing is damaged\n$/)
        assert.deepStrictEqual([checked.stdout, checked.status], ["", 0])
        const repaired = yield* quarterdeck(["cost", "repair"], { env: { QUARTERDECK_DATA: data } })
        assert.match(repaired.stderr, /nothing is damaged and nothing was changed\n$/)
        assert.strictEqual(repaired.status, 0)
        assert.deepStrictEqual(yield* names, before)
      }),
    LIMIT
  )

  it.effect(
    "check tells each damage and ends with 1; repair keeps a copy, mends it and says what was lost",
    () =>
      Effect.gen(function* () {
        const { data, file, names } = yield* history
        damage(file, damaged(5))
        const checked = yield* quarterdeck(["cost", "check", "--data", data])
        assert.match(
          checked.stdout,
          /^CLUSTER +WHAT +START +PROBLEM\nhub +hour +\d{4}-\d\d-\d\dT\d\d:00:00\.000Z +the sums of the hour \S+Z of cluster hub are damaged\n$/
        )
        assert.match(
          checked.stderr,
          /^quarterdeck: 1 damaged of 48 hours and \d days; quarterdeck cost repair drops them and keeps the rest\n$/
        )
        assert.strictEqual(checked.status, 1)

        const repaired = yield* quarterdeck(["cost", "repair", "--data", data, "-o", "json"])
        assert.deepInclude(json(repaired.stdout), { hours: 48 })
        assert.match(repaired.stdout, /"counts": "in the hour \d{4}-\d\d-\d\dT\d\d:00Z"/)
        assert.match(
          repaired.stderr,
          /copied the damaged file to \S+cost\.sqlite\.damaged-\d{8}T\d{6}Z\nquarterdeck: repaired \(1\); /
        )
        assert.strictEqual(repaired.status, 0)
        assert.lengthOf(
          (yield* names).filter((name) => name.includes(".damaged-")),
          1
        )
        const again = yield* quarterdeck(["cost", "check", "--data", data])
        assert.match(again.stderr, /^quarterdeck: 47 hours and \d days checked, nothing is damaged\n$/)
      }),
    LIMIT
  )

  it.effect(
    "repair says of the last hour of a day that it counts in the day alone, and an export that it has it not",
    () =>
      Effect.gen(function* () {
        const { data, file } = yield* history
        damage(file, damaged(23))
        const repaired = yield* quarterdeck(["cost", "repair", "--data", data])
        assert.match(
          repaired.stdout,
          /^CLUSTER +WHAT +START +PROBLEM +COUNTS\nhub +hour .* in the total of its day alone\n$/
        )
        const exported = yield* quarterdeck(["cost", "export", "--data", data])
        assert.match(
          exported.stderr,
          /^quarterdeck: exported 47 hours of 1 cluster\nquarterdeck: warning: cluster hub: 1 h of \d{4}-\d\d-\d\d is not exported: those hours were damaged, and count only in the total of the day\n$/
        )
        assert.strictEqual(exported.status, 0)
      }),
    LIMIT
  )

  it.effect(
    "says of a history in ClickHouse that its server checks it",
    () =>
      Effect.gen(function* () {
        for (const command of ["check", "repair"]) {
          const env = { QUARTERDECK_COST_URL: "http://me:s3cret@127.0.0.1:1/costs" }
          const { status, stderr } = yield* quarterdeck(["cost", command], { env })
          assert.strictEqual(
            stderr,
            "quarterdeck: QUARTERDECK_COST_URL names a ClickHouse server, which checks its own data; use --data for a history in SQLite\n"
          )
          assert.strictEqual(status, 2)
        }
      }),
    LIMIT
  )

  it.effect(
    "neither touches a history that a server has open",
    () =>
      Effect.gen(function* () {
        const { data, file, names } = yield* history
        damage(file, damaged(5))
        const before = (yield* names).length
        const server = new DatabaseSync(file)
        server.exec("PRAGMA journal_mode = WAL; SELECT count(*) FROM steps")
        for (const command of ["check", "repair"]) {
          const { status, stderr, stdout } = yield* quarterdeck(["cost", command, "--data", data])
          assert.strictEqual(
            stderr,
            `quarterdeck: ${file}: could not open the cost history: another program has the file open: stop the server that keeps its history there, and try again\n`
          )
          assert.deepStrictEqual([stdout, status], ["", 1])
        }
        server.close()
        assert.lengthOf(yield* names, before)
      }),
    LIMIT
  )

  it.effect(
    "refuses a directory without a history, and makes none there",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const data = yield* files.makeTempDirectoryScoped()
        const { status, stderr } = yield* quarterdeck(["cost", "check", "--data", data])
        assert.strictEqual(
          stderr,
          `quarterdeck: no cost history in ${data}: name the server's data directory with --data\n`
        )
        assert.strictEqual(status, 1)
        assert.deepStrictEqual(yield* files.readDirectory(data), [])
      }),
    LIMIT
  )
})
