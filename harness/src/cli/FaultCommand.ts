/** `harness fault`: lets something go wrong with a cluster of a held fleet, until it is told to stop. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { parseMs } from "../simulation/kubelet/GoDuration.ts"
import { failed, fromError } from "./CommandFailure.ts"
import * as FaultWords from "./FaultWords.ts"
import * as Print from "./Print.ts"
import * as ReachedFleet from "./ReachedFleet.ts"

/** A time such as `90s` or `1h30m`. */
const Time = Schema.String.check(
  Schema.makeFilter((text) => (parseMs(text) ?? 0) > 0 || "a time such as 30s, 5m or 1h30m")
)

export const faultCommand = Command.make(
  "fault",
  {
    cluster: Argument.String("cluster").pipe(Argument.withDescription("The cluster, by its name")),
    fault: Argument.String("fault").pipe(Argument.withDescription(`What goes wrong: ${FaultWords.NAMES.join(", ")}`)),
    fields: Argument.String("field=value").pipe(
      Argument.withDescription(
        "Numbers of the fault (ms=200), and which requests meet it (match.verbs=list,watch match.resources=pods match.next=3)"
      ),
      Argument.variadic()
    ),
    name: ReachedFleet.nameFlag,
    for: Flag.String("for").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription("Heal it after this time, 30s or 5m (default at Ctrl-C)"),
      Flag.withSchema(Time),
      Flag.optional
    )
  },
  Effect.fn("fault")(
    function* ({ cluster: asked, fault: word, fields, for: time, name }) {
      const fault = yield* FaultWords.parse(word, fields)
      const { cluster, untilGone } = yield* ReachedFleet.cluster(name, asked)
      yield* cluster
        .inject(fault)
        .pipe(
          Effect.catchReason("HarnessError", "InvalidFleet", () =>
            failed(`the fleet was started without faults; start it by harness up --faults`)
          )
        )
      const until = Option.match(time, { onNone: () => "until Ctrl-C", onSome: (text) => `for ${text}` })
      yield* Print.line(`${asked}: ${[word, ...fields].join(" ")}, ${until}`)
      const gone = Effect.andThen(untilGone, Effect.fail(failed("the fleet was taken down, and the fault with it")))
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
    "Let something go wrong between clients and a cluster of a fleet that `up --faults` holds, until Ctrl-C. Several may "
      + "go wrong at once, each with a command of its own."
  ),
  Command.withShortDescription("Let something go wrong with a cluster"),
  Command.withExamples([
    { command: "harness fault prod black-hole", description: "Connections stay open, and nothing passes" },
    { command: "harness fault prod latency ms=200 jitterMs=50 --for 1m", description: "Slow for a minute" },
    {
      command: "harness fault prod too-many-requests match.verbs=list match.resources=pods",
      description: "429 for lists of pods alone"
    }
  ])
)
