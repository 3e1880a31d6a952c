/** The command `harness fault`: injects a fault into a cluster of a fleet that `harness up` started. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { parseMs } from "../simulation/kubelet/GoDuration.ts"
import { failed, fromError } from "./CommandFailure.ts"
import * as FaultWords from "./FaultWords.ts"
import * as Print from "./Print.ts"
import * as ReachedFleet from "./ReachedFleet.ts"

/** A duration such as `90s` or `1h30m`. */
const Time = Schema.String.check(
  Schema.makeFilter((text) => (parseMs(text) ?? 0) > 0 || "a time such as 30s, 5m or 1h30m")
)

export const faultCommand = Command.make(
  "fault",
  {
    cluster: Argument.String("cluster").pipe(Argument.withDescription("The cluster, by its name")),
    fault: Argument.String("fault").pipe(Argument.withDescription(`The fault: ${FaultWords.NAMES.join(", ")}`)),
    fields: Argument.String("field=value").pipe(
      Argument.withDescription(
        "Options of the fault (ms=200) and the requests that it affects (match.verbs=list,watch match.resources=pods match.next=3)"
      ),
      Argument.variadic()
    ),
    name: ReachedFleet.nameFlag,
    for: Flag.String("for").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("Heal the fault after this time, such as 30s or 5m (default: at Ctrl-C)"),
      Flag.withSchema(Time),
      Flag.optional
    )
  },
  Effect.fn("fault")(
    function* ({ cluster: clusterName, fault: word, fields, for: time, name }) {
      const fault = yield* FaultWords.parse(word, fields)
      const { cluster, untilGone } = yield* ReachedFleet.cluster(name, clusterName)
      yield* cluster
        .inject(fault)
        .pipe(
          Effect.catchReason("HarnessError", "InvalidFleet", () =>
            failed(`the fleet was started without faults; start it with harness up --faults`)
          )
        )
      const until = Option.match(time, { onNone: () => "until Ctrl-C", onSome: (text) => `for ${text}` })
      yield* Print.line(`${clusterName}: ${[word, ...fields].join(" ")}, ${until}`)
      const gone = Effect.andThen(untilGone, Effect.fail(failed("the fleet was taken down, which ended the fault")))
      const over = Option.match(time, {
        onNone: () => Effect.never,
        onSome: (text) => Effect.sleep(parseMs(text) ?? 0)
      })
      yield* Effect.raceFirst(over, gone)
    },
    Effect.scoped,
    Effect.catchTags({
      MachineRefused: (error) => Effect.fail(fromError(error)),
      HarnessError: (error) => Effect.fail(fromError(error))
    })
  )
).pipe(
  Command.withDescription(
    "Inject a fault into a cluster of a fleet that `up --faults` holds, until Ctrl-C. To combine faults, run several "
      + "commands at once."
  ),
  Command.withShortDescription("Inject a fault into a cluster"),
  Command.withExamples([
    { command: "harness fault prod black-hole", description: "Connections stay open but pass no data" },
    { command: "harness fault prod latency ms=200 jitterMs=50 --for 1m", description: "Add latency for a minute" },
    {
      command: "harness fault prod too-many-requests match.verbs=list match.resources=pods",
      description: "Answer only lists of pods with 429"
    }
  ])
)
