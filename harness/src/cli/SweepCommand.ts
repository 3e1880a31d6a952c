/** `harness sweep`: removes what dead runs left. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { fromError } from "./CommandFailure.ts"
import * as Print from "./Print.ts"
import { sweepEverything } from "./MachineSweep.ts"

export const sweepCommand = Command.make(
  "sweep",
  {},
  Effect.fn("sweep")(
    function* () {
      const swept = yield* sweepEverything
      yield* Effect.forEach(swept, (what) => Print.line(`removed ${what}`))
      if (swept.length === 0) yield* Print.line("nothing was left")
    },
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription(
    "End and remove what runs that were killed left behind: processes, directories, containers and networks. What living "
      + "runs use is left alone. Every start of a cluster does the same for its own kind."
  ),
  Command.withShortDescription("Remove what dead runs left")
)
