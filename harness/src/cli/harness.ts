#!/usr/bin/env node
/**
 * The program `harness`. Checks the version of Node before any import: an older Node would fail inside an import with
 * an unclear error.
 */
const NODE_NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NODE_NEEDED) {
  process.stderr.write(`harness: Node ${NODE_NEEDED} or newer is required; this is ${process.version}\n`)
  process.exit(1)
}

const NodeRuntime = await import("@effect/platform-node/NodeRuntime")
const NodeServices = await import("@effect/platform-node/NodeServices")
const { Effect } = await import("effect")
const HarnessCommand = await import("./HarnessCommand.ts")

// An unexpected failure is logged with its cause.
NodeRuntime.runMain(Effect.provide(HarnessCommand.main, NodeServices.layer))
