/**
 * The process of the command line: its streams and its exit status.
 */
import { Cause, Effect, Exit, Logger, Runtime, Stdio } from "effect"
import * as Cli from "./Cli.ts"

/** Runs the command line of the process. Logs go to standard error, so standard output holds only a command's output. */
export const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* Cli.run(yield* args)
}).pipe(Effect.provideService(Logger.LogToStderr, true))

/**
 * Exits with 0 if `serve` or `--watch` is interrupted: they run until they are stopped. Any other interrupted command has
 * failed.
 */
export const teardown =
  (args: ReadonlyArray<string>): Runtime.Teardown =>
  (exit, onExit) => {
    const isStopped = runsUntilStopped(args) && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    if (isStopped) return onExit(0)
    Runtime.defaultTeardown(exit, onExit)
  }

/** Reports whether a command runs until it is interrupted. */
const runsUntilStopped = ([command, ...flags]: ReadonlyArray<string>): boolean =>
  command === "serve"
  || (command === "workloads" && flags.some((flag) => /^(?:--watch|-[A-Za-z]*w[A-Za-z]*)$/.test(flag)))
