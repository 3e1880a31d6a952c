/**
 * The command line as a process runs it: what goes to which stream, and with which exit status it ends.
 */
import { Cause, Effect, Exit, Logger, Runtime, Stdio } from "effect"
import * as Cli from "./Cli.ts"

/** Runs the command line that the process was started with. Standard output belongs to what a command prints. */
export const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* Cli.run(yield* args)
}).pipe(Effect.provideService(Logger.LogToStderr, true))

/**
 * Ends with 0 when a server was told to stop, or what is followed until the user has seen enough; every other command that is
 * interrupted has not done what was asked.
 */
export const teardown =
  (args: ReadonlyArray<string>): Runtime.Teardown =>
  (exit, onExit) => {
    const isStopped = goesOn(args) && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    if (isStopped) return onExit(0)
    Runtime.defaultTeardown(exit, onExit)
  }

/** Tells whether a command line asks for what does not end by itself. */
const goesOn = ([command, ...flags]: ReadonlyArray<string>): boolean =>
  command === "serve"
  || (command === "workloads" && flags.some((flag) => /^(?:--watch|-[A-Za-z]*w[A-Za-z]*)$/.test(flag)))
