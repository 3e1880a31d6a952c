/** The command line of the harness as an effect, without a runtime. */
import { Effect, Logger, Stdio } from "effect"
import * as HarnessCommand from "./HarnessCommand.ts"

/**
 * Runs the arguments of this process. Logs go to standard error, so that standard output has only the command's output.
 */
export const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* HarnessCommand.run(yield* args)
}).pipe(Effect.provideService(Logger.LogToStderr, true))
