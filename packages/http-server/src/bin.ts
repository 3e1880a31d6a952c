#!/usr/bin/env node
/**
 * The program `quarterdeck`. It checks the version of Node before any import. On an older version, the imports would fail
 * with an unrelated message.
 */

const NODE_NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NODE_NEEDED) {
  process.stderr.write(`quarterdeck: Node ${NODE_NEEDED} or newer is needed, and this is ${process.version}\n`)
  process.exit(1)
}

// Imports single modules: loading all of `@effect/platform-node` takes longer than the rest of the program.
const NodeHttpClient = await import("@effect/platform-node/NodeHttpClient")
const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const { Effect, Layer } = await import("effect")
const Program = await import("./cli/Program.ts")
const { Surroundings } = await import("./settings/Surroundings.ts")

const platform = Layer.mergeAll(NodeServices.layer, NodeHttpClient.layerNodeHttp, Surroundings.layerProcess)

// `runMain` logs an unexpected failure with its cause.
NodeRuntime.runMain(Effect.provide(Program.main, platform), { teardown: Program.teardown(process.argv.slice(2)) })
