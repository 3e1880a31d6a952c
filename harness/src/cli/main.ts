/** The program `harness`, once it is known that this Node can run it. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as Program from "./Program.ts"

// A failure that nobody foresaw is logged with its cause.
NodeRuntime.runMain(Effect.provide(Program.main, NodeServices.layer))
