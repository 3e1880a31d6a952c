/**
 * The program on Node: the command line with the platform's services.
 */
// Imports single modules: loading all of `@effect/platform-node` takes longer than the rest of the program.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { Surroundings } from "../settings/Surroundings.ts"
import * as Program from "./Program.ts"

const platform = Layer.mergeAll(NodeServices.layer, NodeHttpClient.layerNodeHttp, Surroundings.layerProcess)

/** Runs the command line of this process and sets its exit status. Logs an unexpected failure with its cause. */
export const run = (): void =>
  NodeRuntime.runMain(Effect.provide(Program.main, platform), { teardown: Program.teardown(process.argv.slice(2)) })
