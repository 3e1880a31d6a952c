/**
 * The program `harness`, once it is known that this Node can run it.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Logger, Stdio } from "effect"
import * as HarnessCommand from "../cli/HarnessCommand.ts"

const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* HarnessCommand.run(yield* args)
}).pipe(Effect.provide(NodeServices.layer))

// Standard output belongs to what a command prints; a failure that nobody foresaw is logged with its cause.
NodeRuntime.runMain(Effect.provideService(main, Logger.LogToStderr, true))
