/**
 * Where tests of ClickHouse find a server, and whether they are part of this run.
 *
 * `QUARTERDECK_CLICKHOUSE_URL` names a server whose user may make databases. Otherwise chdb is looked for where
 * `.ci/chdb` puts it, or in `QUARTERDECK_CHDB`. A run without either leaves these tests out and says so, unless
 * `QUARTERDECK_REQUIRE` names `clickhouse` (separated by commas from others): then they run, and fail.
 */
import { Config, Effect, Option } from "effect"
import { access } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

const VERSION = "3.4.0"

const setting = (name: string) => Config.option(Config.String(name)).pipe(Effect.map(Option.getOrElse(() => "")))

const exists = (path: string) =>
  Effect.promise(() =>
    access(path)
      .then(() => true)
      .catch(() => false)
  )

/** **Shape** `given` is a server's address, `chdb` the engine's directory; the first that is there counts. */
export interface Found {
  readonly given: string | undefined
  readonly chdb: string | undefined
  readonly runs: boolean
}

export const find: Effect.Effect<Found> = Effect.gen(function* () {
  const given = yield* setting("QUARTERDECK_CLICKHOUSE_URL")
  const cache = (yield* setting("XDG_CACHE_HOME")) || join(homedir(), ".cache")
  const directory = (yield* setting("QUARTERDECK_CHDB")) || join(cache, "quarterdeck", `chdb-${VERSION}`)
  const isThere = yield* exists(join(directory, "node_modules", "chdb", "package.json"))
  const required = (yield* setting("QUARTERDECK_REQUIRE")).split(",").map((one) => one.trim())
  return {
    given: given === "" ? undefined : given,
    chdb: isThere ? directory : undefined,
    runs: given !== "" || isThere || required.includes("clickhouse")
  }
}).pipe(Effect.orDie)

/** Why the tests are left out, and what would bring them. */
export const REMEDY = "there is no chdb; run .ci/chdb, or set QUARTERDECK_CLICKHOUSE_URL to a server's address"
