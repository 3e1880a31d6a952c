/** The command `harness kill`: kills a cluster of a fleet that `harness up` started. */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { fromError } from "./CommandFailure.ts"
import * as Invocation from "./Invocation.ts"
import * as Print from "./Print.ts"
import * as ReachedFleet from "./ReachedFleet.ts"

export const killCommand = Command.make(
  "kill",
  {
    cluster: Argument.String("cluster").pipe(Argument.withDescription("The cluster, by its name")),
    name: ReachedFleet.nameFlag
  },
  Effect.fn("kill")(
    function* ({ cluster: clusterName, name }) {
      const { cluster } = yield* ReachedFleet.cluster(name, clusterName)
      yield* cluster.kill
      const fleet = Option.match(name, { onNone: () => "", onSome: (text) => ` --name ${text}` })
      const restart = `${yield* Invocation.command} restart ${Print.shellWord(clusterName)}${fleet}`
      yield* Print.line(`${clusterName} is down; restart it with: ${restart}`)
    },
    Effect.scoped,
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription(
    "Kill a cluster of a fleet that harness up started, as if its machine had lost power: connections break, and the "
      + "server is down until it is restarted."
  ),
  Command.withShortDescription("Kill a cluster of a fleet that harness up started"),
  Command.withExamples([{ command: "harness kill prod", description: "See how the program under test reacts" }])
)
