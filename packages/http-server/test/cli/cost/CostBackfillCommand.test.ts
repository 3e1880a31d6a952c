import { JournalFiles } from "@quarterdeck/cost"
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { HourJournal } from "@quarterdeck/cost/sampler/HourJournal"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, FileSystem } from "effect"
import { json, quarterdeck } from "../program.ts"

const LIMIT = { timeout: 120_000 }
const [HUB, STAGE] = [ClusterName.make("hub"), ClusterName.make("stage")]
const at = (hour: number): number => Date.parse("2026-03-01T00:00:00Z") + hour * 3_600_000

layer(NodeServices.layer, { excludeTestServices: true })("quarterdeck cost backfill", (it) => {
  /** A data directory as a server left it: of `hub` two hours are missing, of `stage` nothing was ever found. */
  const directory = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const data = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-backfill-" })
    const journal = <A, E>(work: (journal: HourJournal["Service"]) => Effect.Effect<A, E>) =>
      Effect.flatMap(HourJournal, work).pipe(
        Effect.provide(JournalFiles.layerFiles({ directory: data })),
        Effect.scoped
      )
    yield* journal((one) =>
      Effect.andThen(
        one.noteBackfill(HUB, {
          untilMs: at(48),
          knownFromMs: at(10),
          left: [
            { startMs: at(0), endMs: at(10) },
            { startMs: at(12), endMs: at(13) },
            { startMs: at(20), endMs: at(21) }
          ]
        }),
        one.noteBackfill(STAGE, { untilMs: at(48), left: [{ startMs: at(0), endMs: at(48) }] })
      )
    )
    const asked = journal((one) => Effect.all([one.isRestartAsked(HUB), one.isRestartAsked(STAGE)]))
    return { data, asked }
  })

  it.effect(
    "says what is open of each cluster, for people and for programs",
    () =>
      Effect.gen(function* () {
        const { asked, data } = yield* directory
        const told = yield* quarterdeck(["cost", "backfill", "--data", data])
        assert.deepStrictEqual(
          told.stdout.split("\n").map((line) => line.split(/ +/)),
          [
            ["CLUSTER", "MISSING", "OLDER", "FROM", "TO"],
            ["hub", "2", "10", "2026-03-01T12:00:00.000Z", "2026-03-01T21:00:00.000Z"],
            ["stage", "48", "0", "2026-03-01T00:00:00.000Z", "2026-03-03T00:00:00.000Z"],
            [""]
          ]
        )
        assert.deepStrictEqual([told.stderr, told.status], ["", 0])
        const whole = yield* quarterdeck(["cost", "backfill", "--clusters", "stage", "-o", "json"], {
          env: { QUARTERDECK_DATA: data }
        })
        assert.deepStrictEqual(json(whole.stdout), {
          clusters: [
            {
              cluster: "stage",
              missingHours: 48,
              olderHours: 0,
              from: "2026-03-01T00:00:00.000Z",
              to: "2026-03-03T00:00:00.000Z"
            }
          ]
        })
        assert.deepStrictEqual(yield* asked, [false, false])
      }),
    LIMIT
  )

  it.effect(
    "asks a server to start over with the clusters that are named",
    () =>
      Effect.gen(function* () {
        const { asked, data } = yield* directory
        const restarted = yield* quarterdeck(["cost", "backfill", "--restart", "--clusters", "stage", "--data", data])
        assert.match(
          restarted.stderr,
          /^quarterdeck: backfill of stage restarts within a minute if the server runs, else /
        )
        assert.deepStrictEqual([restarted.stdout, restarted.status], ["", 0])
        assert.deepStrictEqual(yield* asked, [false, true])
      }),
    LIMIT
  )

  it.effect(
    "names what is wrong, and makes no directory",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { data } = yield* directory
        const unknown = yield* quarterdeck(["cost", "backfill", "--restart", "--clusters", "prod,hub", "--data", data])
        assert.strictEqual(unknown.stderr, "quarterdeck: no backfill of prod; clusters with a backfill: hub, stage\n")
        assert.strictEqual(unknown.status, 1)
        const elsewhere = `${data}-elsewhere`
        const none = yield* quarterdeck(["cost", "backfill", "--data", elsewhere])
        assert.strictEqual(
          none.stderr,
          `quarterdeck: no costs in ${elsewhere}: name the server's data directory with --data\n`
        )
        assert.strictEqual(none.status, 1)
        assert.isFalse(yield* files.exists(elsewhere))
      }),
    LIMIT
  )
})
