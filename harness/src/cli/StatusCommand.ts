/** The command `harness status`: shows the fleets that `harness up` started, and their clusters. */
import { Clock, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type ClusterState, stateOf } from "./ClusterState.ts"
import { failed, fromError } from "./CommandFailure.ts"
import { duration, tableOf } from "./FleetView.ts"
import * as HeldFleet from "./HeldFleet.ts"
import { exportLine } from "./ExportLine.ts"
import * as Print from "./Print.ts"

export const statusCommand = Command.make(
  "status",
  {
    name: Argument.String("name").pipe(
      Argument.withDescription("The fleet (default: all fleets that harness up started)"),
      Argument.withSchema(HeldFleet.Name),
      Argument.optional
    ),
    export: Flag.Boolean("export").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Print only the shell command that selects the fleet's kubeconfig")
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
      const statuses = yield* Effect.forEach(fleets, statusOf, { concurrency: "unbounded" })
      if (json) return yield* Print.line(JSON.stringify(statuses, null, 2))
      if (statuses.length === 0) return yield* Print.line("no fleet is held")
      for (const fleet of statuses) {
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
  Command.withDescription("Show the fleets that harness up started, their processes and the state of their clusters."),
  Command.withShortDescription("Show the fleets that harness up started")
)

/** A fleet's status. `clusters` is empty while the fleet starts, and if its process is dead or in another container. */
interface FleetStatus {
  readonly name: string
  readonly state: "starting" | "held" | "left by a dead process" | "held in another container"
  readonly pid: number
  readonly driver?: string
  readonly heldSeconds?: number
  readonly kubeconfig: string
  readonly clusters: ReadonlyArray<ClusterState>
}

const statusOf = Effect.fnUntraced(function* (fleet: HeldFleet.HeldFleet) {
  const { files, name, owner, record, state } = fleet
  const common = { name, pid: owner.pid, kubeconfig: files.kubeconfig }
  const status = (fields: FleetStatus): FleetStatus => fields
  if (state === "elsewhere") return status({ ...common, state: "held in another container", clusters: [] })
  if (state === "dead") return status({ ...common, state: "left by a dead process", clusters: [] })
  if (record === undefined) return status({ ...common, state: "starting", clusters: [] })
  // Imported here, because most commands do not connect to a cluster.
  const { connect } = yield* Effect.promise(() => import("../fleet/ControlClient.ts"))
  const clusters = yield* connect(record.handle).pipe(
    Effect.flatMap((connected) =>
      Effect.forEach(connected.clusters, (cluster) => stateOf(cluster), { concurrency: "unbounded" })
    ),
    Effect.scoped
  )
  const readyAt = Option.match(DateTime.make(record.readyAt), { onNone: () => 0, onSome: DateTime.toEpochMillis })
  const heldSeconds = Math.max(0, Math.floor(((yield* Clock.currentTimeMillis) - readyAt) / 1000))
  return status({ ...common, state: "held", driver: record.driver, heldSeconds, clusters })
})
