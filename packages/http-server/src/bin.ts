#!/usr/bin/env node
/**
 * The program `quarterdeck`. It imports nothing before it has looked at the version of Node: an older one fails within
 * what is imported, in words that help nobody.
 *
 * @since 0.1.0
 */
import type { Runtime as Runtimes } from "effect"

const NODE_NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NODE_NEEDED) {
  process.stderr.write(`quarterdeck: Node ${NODE_NEEDED} or newer is needed, and this is ${process.version}\n`)
  process.exit(1)
}

// One by one: all of the package together takes longer to load than the rest of the program.
const NodeHttpClient = await import("@effect/platform-node/NodeHttpClient")
const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const { Cause, Effect, Exit, Layer, Logger, Runtime, Stdio } = await import("effect")
const Cli = await import("./Cli.ts")
const { Surroundings } = await import("./settings/Surroundings.ts")

const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* Cli.run(yield* args)
}).pipe(Effect.provide(Layer.mergeAll(NodeServices.layer, NodeHttpClient.layerNodeHttp, Surroundings.layerProcess)))

/** A server that is told to stop has done what was asked; every other command that is interrupted has not. */
const teardown: Runtimes.Teardown = (exit, onExit) => {
  const isStopped = process.argv[2] === "serve" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  if (isStopped) return onExit(0)
  Runtime.defaultTeardown(exit, onExit)
}

// Standard output belongs to what a command prints; a failure that nobody foresaw is logged with its cause.
NodeRuntime.runMain(Effect.provideService(main, Logger.LogToStderr, true), { teardown })
