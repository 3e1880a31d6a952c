/** The command line of the harness as a process runs it: what goes to which stream. */
import { Effect, Logger, Stdio } from "effect"
import * as HarnessCommand from "./HarnessCommand.ts"

/** Runs the command line that the process was started with. Standard output belongs to what a command prints. */
export const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* HarnessCommand.run(yield* args)
}).pipe(Effect.provideService(Logger.LogToStderr, true))
