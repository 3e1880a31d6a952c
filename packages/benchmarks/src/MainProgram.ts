/**
 * Runs a command of this package. Prints a failure as one line, and logs only warnings and errors.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Logger, References, Runtime } from "effect"
import { exit } from "node:process"

/** Exits explicitly. Otherwise Node might wait forever for connections that were made to hang. */
const end: Runtime.Teardown = (outcome) => Runtime.defaultTeardown(outcome, exit)

/** Runs a program as the whole process. **Shape** the exit status is 0 only if the program succeeds. */
export const run = <E extends { readonly message: string }>(
  program: Effect.Effect<void, E, Layer.Success<typeof NodeServices.layer>>
): void =>
  NodeRuntime.runMain(
    program.pipe(
      Effect.tapError((error) => Console.error(error.message)),
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
          Layer.succeed(References.MinimumLogLevel, "Warn")
        )
      )
    ),
    { disableErrorReporting: true, teardown: end }
  )
