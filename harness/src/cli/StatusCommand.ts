/** `harness status`: which fleets are held, and how they are. */
import { Clock, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type ClusterState, look } from "./ClusterState.ts"
import { failed, fromError } from "./CommandFailure.ts"
import { duration, tableOf } from "./FleetView.ts"
import * as HeldFleet from "./HeldFleet.ts"
import { exportLine } from "./ExportLine.ts"
import * as Print from "./Print.ts"

export const statusCommand = Command.make(
  "status",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("One fleet (default all that are held)"),
      Argument.withSchema(HeldFleet.Name),
      Argument.optional
    ),
    export: Flag.Boolean("export").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print the line alone that a shell runs to use the fleet")
    ),
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print JSON"))
  },
  Effect.fn("status")(
    function* ({ export: onlyExport, json, name }) {
      const all = yield* HeldFleet.list
      const fleets = Option.match(name, {
        onNone: () => all,
        onSome: (name) => all.filter((fleet) => fleet.name === name)
      })
      if (Option.isSome(name) && fleets.length === 0) return yield* failed(`no fleet named ${name.value} is held`)
      if (onlyExport) {
        const [fleet, ...others] = fleets.filter(({ record }) => record !== undefined)
        if (fleet === undefined) return yield* failed("no fleet is held and ready")
        if (others.length > 0) return yield* failed("several fleets are held; name one")
        return yield* Print.line(exportLine(fleet.files.kubeconfig))
      }
      const seen = yield* Effect.forEach(fleets, see, { concurrency: "unbounded" })
      if (json) return yield* Print.line(JSON.stringify(seen, null, 2))
      if (seen.length === 0) return yield* Print.line("no fleet is held")
      for (const fleet of seen) {
        const since = fleet.heldSeconds === undefined ? "" : ` for ${duration(fleet.heldSeconds)}`
        const driver = fleet.driver === undefined ? "" : ` on ${fleet.driver}`
        yield* Print.line(`${fleet.name}: ${fleet.state}${driver}${since}, process ${fleet.pid}`)
        if (fleet.clusters.length === 0) continue
        yield* Print.line(exportLine(fleet.kubeconfig))
        yield* Effect.forEach(tableOf(fleet.clusters), (line) => Print.line(`  ${line}`))
      }
    },
    Effect.catchTag("MachineRefused", (error) => Effect.fail(fromError(error)))
  )
).pipe(
  Command.withDescription("Say which fleets are held, by which process, and how their clusters are."),
  Command.withShortDescription("Show held fleets")
)

/** A fleet as it is shown; without clusters while it starts, and when its holder is dead. */
interface Seen {
  readonly name: string
  readonly state: "starting" | "held" | "left by a dead process" | "held in another container"
  readonly pid: number
  readonly driver?: string
  readonly heldSeconds?: number
  readonly kubeconfig: string
  readonly clusters: ReadonlyArray<ClusterState>
}

const see = Effect.fnUntraced(function* (fleet: HeldFleet.HeldFleet) {
  const { files, name, owner, record, state } = fleet
  const common = { name, pid: owner.pid, kubeconfig: files.kubeconfig }
  const seen = (shown: Seen): Seen => shown
  if (state === "elsewhere") return seen({ ...common, state: "held in another container", clusters: [] })
  if (state === "dead") return seen({ ...common, state: "left by a dead process", clusters: [] })
  if (record === undefined) return seen({ ...common, state: "starting", clusters: [] })
  // Loaded only now, as most commands ask no cluster.
  const { connect } = yield* Effect.promise(() => import("../fleet/ControlClient.ts"))
  const clusters = yield* connect(record.handle).pipe(
    Effect.flatMap((connected) =>
      Effect.forEach(connected.clusters, (cluster) => look(cluster), { concurrency: "unbounded" })
    ),
    Effect.scoped
  )
  const readyAt = Option.match(DateTime.make(record.readyAt), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  const heldSeconds = Math.max(0, Math.floor(((yield* Clock.currentTimeMillis) - readyAt) / 1000))
  return seen({ ...common, state: "held", driver: record.driver, heldSeconds, clusters })
})
