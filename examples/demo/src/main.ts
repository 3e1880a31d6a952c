/**
 * The program `demo`.
 *
 * It runs until Ctrl-C. `--once` ends it after printing, `--port` sets another port than 8080, `--help` prints the
 * flags.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Logger, References, Result, Stdio } from "effect"
import { argumentsOf } from "./Arguments.ts"
import * as Page from "./Page.ts"

const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const parsed = argumentsOf(yield* args)
  if (Result.isFailure(parsed)) {
    yield* Console.error(`demo: ${parsed.failure}\n\n${Page.help}`)
    return yield* Effect.sync(() => {
      process.exitCode = 2
    })
  }
  if (parsed.success.help) return yield* Console.log(Page.help)
  // Imported after parsing the flags, because the service and its clusters take long to load.
  const Demo = yield* Effect.promise(() => import("./Demo.ts"))
  yield* Effect.scoped(
    Effect.andThen(
      Demo.show(parsed.success),
      parsed.success.once ? Effect.void : Effect.andThen(Console.log(Page.waiting), Effect.never)
    )
  )
})

NodeRuntime.runMain(
  main.pipe(
    Effect.tapError((error) => Console.error(`demo: ${error.message}`)),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
        Layer.succeed(References.MinimumLogLevel, "Error")
      )
    )
  ),
  { disableErrorReporting: true }
)
