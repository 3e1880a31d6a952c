/** The program `harness`, loaded after the check of the Node version. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as Program from "./Program.ts"

// An unexpected failure is logged with its cause.
NodeRuntime.runMain(Effect.provide(Program.main, NodeServices.layer))
