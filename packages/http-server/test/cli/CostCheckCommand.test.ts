import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { DatabaseSync } from "node:sqlite"
import { keep } from "../e2e/costHistory.ts"
import { json, quarterdeck } from "./program.ts"

const LIMIT = { timeout: 60_000 }

layer(NodeServices.layer, { excludeTestServices: true })("quarterdeck cost check and repair", (it) => {
  /** A data directory with two days of a cluster. */
  const history = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const data = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-check-" })
    yield* keep(["hub"])(data)
    const file = join(data, "cost.sqlite")
    return { data, file, files, names: files.readDirectory(data) }
  })

  const damage = (file: string, statement: string) => {
    const database = new DatabaseSync(file)
    const { changes } = database.prepare(statement).run()
    database.close()
    assert.strictEqual(Number(changes), 1)
  }
  const ONE_HOUR = `UPDATE steps SET sums = zeroblob(length(sums)) WHERE rowid =
    (SELECT rowid FROM steps WHERE level = 0 ORDER BY epoch, step LIMIT 1 OFFSET 3)`

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
        damage(file, ONE_HOUR)
        const checked = yield* quarterdeck(["cost", "check", "--data", data])
        assert.match(
          checked.stdout,
          /^CLUSTER +WHAT +START +PROBLEM\nhub +hour +\d{4}-\d\d-\d\dT\d\d:00:00\.000Z +the sums of hour \d+ of day \d+ of cluster 1 are damaged\n$/
        )
        assert.match(
          checked.stderr,
          /^quarterdeck: 1 damaged in 48 hours and \d days; quarterdeck cost repair keeps the rest whole\n$/
        )
        assert.strictEqual(checked.status, 1)

        const repaired = yield* quarterdeck(["cost", "repair", "--data", data, "-o", "json"])
        assert.deepInclude(json(repaired.stdout), { hours: 48 })
        assert.match(repaired.stderr, /kept as \S+cost\.sqlite\.damaged-\d{8}T\d{6}Z\nquarterdeck: mended \(1\); /)
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
    "neither touches a history that a server has open",
    () =>
      Effect.gen(function* () {
        const { data, file, names } = yield* history
        damage(file, ONE_HOUR)
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
          `quarterdeck: no history of costs in ${data}: name the data directory of the server by --data\n`
        )
        assert.strictEqual(status, 1)
        assert.deepStrictEqual(yield* files.readDirectory(data), [])
      }),
    LIMIT
  )
})
