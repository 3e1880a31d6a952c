#!/usr/bin/env node
/**
 * The program `quarterdeck`.
 *
 * @since 0.1.0
 */
import { NodeHttpClient, NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, Runtime, Stdio } from "effect"
import * as Cli from "./Cli.ts"
import { Surroundings } from "./settings/Surroundings.ts"

const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* Cli.run(yield* args)
}).pipe(Effect.provide(Layer.mergeAll(NodeServices.layer, NodeHttpClient.layerNodeHttp, Surroundings.layerProcess)))

/** A server that is told to stop has done what was asked; every other command that is interrupted has not. */
const teardown: Runtime.Teardown = (exit, onExit) => {
  const isStopped = process.argv[2] === "serve" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  if (isStopped) return onExit(0)
  Runtime.defaultTeardown(exit, onExit)
}

// Standard output belongs to what a command prints; a failure that nobody foresaw is logged with its cause.
NodeRuntime.runMain(Effect.provideService(main, Logger.LogToStderr, true), { teardown })
