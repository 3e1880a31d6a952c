/** The command `harness restart`: restarts a cluster of a fleet that `harness up` started. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { fromError } from "./CommandFailure.ts"
import * as Print from "./Print.ts"
import * as ReachedFleet from "./ReachedFleet.ts"

export const restartCommand = Command.make(
  "restart",
  {
    cluster: Argument.String("cluster").pipe(Argument.withDescription("The cluster, by its name")),
    name: ReachedFleet.nameFlag,
    empty: Flag.Boolean("empty").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Restart as a new cluster, without its objects")
    )
  },
  Effect.fn("restart")(
    function* ({ cluster: clusterName, empty, name }) {
      const { cluster } = yield* ReachedFleet.cluster(name, clusterName)
      yield* empty ? cluster.restartEmpty : cluster.restart
      yield* Print.line(`${clusterName} is ready${empty ? ", and empty" : ""}`)
    },
    Effect.scoped,
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription(
    "Restart a cluster of a fleet that harness up started, whether it runs or was killed, and wait until it is ready. "
      + "It keeps its address, its users and its objects."
  ),
  Command.withShortDescription("Restart a cluster of a fleet that harness up started"),
  Command.withExamples([
    { command: "harness restart prod", description: "Keep its objects" },
    { command: "harness restart prod --empty", description: "Lose its objects" }
  ])
)
