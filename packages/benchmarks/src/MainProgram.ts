/**
 * Runs a command of this package: its failure is one line, and of what it runs only warnings are told.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Logger, References, Runtime } from "effect"
import { exit } from "node:process"

/** Node, left to end by itself, may wait for ever for handles of connections that were made to hang. */
const end: Runtime.Teardown = (outcome) => Runtime.defaultTeardown(outcome, exit)

/** Runs it as the whole process. **Shape** the exit status is 0 only if it succeeds. */
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
