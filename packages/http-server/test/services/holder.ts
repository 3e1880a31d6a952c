/** A program that holds the data directory of its argument until it is ended, and says when it has it. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import * as DirectoryLock from "../../src/services/DirectoryLock.ts"

const [, , directory = ""] = process.argv

NodeRuntime.runMain(
  Effect.scoped(
    Effect.gen(function* () {
      yield* DirectoryLock.forServer(directory)
      process.stdout.write("held\n")
      return yield* Effect.never
    })
  ).pipe(Effect.provide(NodeServices.layer))
)
