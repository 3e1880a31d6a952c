/** The command `harness down`: takes down a fleet that another process holds. */
import { Effect, Option, Schedule } from "effect"
import { Argument, Command } from "effect/cli"
import { attempt } from "../machine/Machine.ts"
import { failed, fromError } from "./CommandFailure.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as Print from "./Print.ts"
import { chosen } from "./ReachedFleet.ts"
import { sweepEverything } from "./MachineSweep.ts"

const EVERY = "50 millis"
/** Timeout. Longer than the 20 s that programs have to end after SIGTERM. */
const TIMEOUT = "60 seconds"

export const downCommand = Command.make(
  "down",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("The fleet (default: the only fleet that harness up started)"),
      Argument.withSchema(HeldFleet.Name),
      Argument.optional
    )
  },
  Effect.fn("down")(
    function* ({ name }) {
      const fleet = yield* chosen(Option.getOrUndefined(name))
      if (fleet === undefined) return yield* Print.line("no fleet is held")
      if (fleet.state === "elsewhere") {
        return yield* failed(`the fleet ${fleet.name} is held in another container; take it down there`)
      }
      if (fleet.state === "alive") yield* end(fleet)
      // A killed holder could not stop its clusters.
      yield* sweepEverything
      yield* Print.line(`${fleet.name} is down`)
    },
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription("Take down a fleet that harness up started, and wait until it is gone."),
  Command.withShortDescription("Take down a fleet that harness up started")
)

/** Signals the process that holds the fleet to stop, and waits until that process has released the fleet's name. */
const end = Effect.fnUntraced(function* ({ name, owner }: HeldFleet.HeldFleet) {
  yield* attempt("signal the holder to stop", async () => terminate(owner.pid))
  const gone = HeldFleet.find(name).pipe(
    Effect.map(Option.filter((fleet) => fleet.owner.pid === owner.pid && fleet.state === "alive")),
    Effect.repeat({ schedule: Schedule.spaced(EVERY), while: Option.isSome })
  )
  yield* Effect.timeoutOrElse(gone, {
    duration: TIMEOUT,
    orElse: () => Effect.fail(failed(`process ${owner.pid} still holds ${name} after a minute`))
  })
})

/** Sends SIGTERM to a process. A process that has already ended is not an error. */
export const terminate = (pid: number): void => {
  try {
    process.kill(pid, "SIGTERM")
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ESRCH")) throw cause
  }
}
