import { describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as FirstVersion from "../fixtures/FirstVersion.ts"
import { addsNewHours, fillsOldHours, repricesOldHours, reportingOf, reportsTheSame } from "../keepsFirstVersion.ts"
import * as Server from "./Server.ts"

/** A database with the tables that the first version made and filled. */
const written = Effect.gen(function* () {
  const url = yield* Server.freshDatabase
  for (const statement of FirstVersion.clickHouse()) yield* Server.ask(url, statement)
  return url
})

const opened = (url: URL) => reportingOf(Layer.fresh(Server.storeOn(url)))

describe("a cost history in ClickHouse that the first version wrote", () => {
  Server.tested(() => {
    it.effect("opens, and reports the same figures, each time", () =>
      Effect.gen(function* () {
        const url = yield* written
        yield* Effect.scoped(Effect.provide(reportsTheSame, opened(url)))
        yield* Effect.scoped(Effect.provide(reportsTheSame, opened(url)))
      })
    )

    it.effect("goes on with hours that know what was requested while usage was known", () =>
      Effect.gen(function* () {
        const url = yield* written
        yield* Effect.scoped(Effect.provide(addsNewHours, opened(url)))
      })
    )

    it.effect("takes hours of the time before that are written later as what they are", () =>
      Effect.gen(function* () {
        const url = yield* written
        yield* Effect.scoped(Effect.provide(fillsOldHours, opened(url)))
      })
    )

    it.effect("estimates hours as before that a change of prices writes again", () =>
      Effect.gen(function* () {
        const url = yield* written
        yield* Effect.scoped(Effect.provide(repricesOldHours, opened(url)))
      })
    )
  })
})
