/** The command `harness sweep`: removes what dead runs left. */
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
      if (swept.length === 0) yield* Print.line("nothing to remove")
    },
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription(
    "Remove what killed runs left behind: processes, directories, containers and networks. Resources of living processes "
      + "stay. Every start of a cluster also sweeps for its own driver."
  ),
  Command.withShortDescription("Remove what killed runs left")
)
