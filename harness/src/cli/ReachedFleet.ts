/** Finds the fleet that a command refers to, among those that `harness up` started, and connects to its clusters. */
import { Effect, Option, Schedule, type Scope } from "effect"
import { Flag } from "effect/cli"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import type { MachineRefused } from "../machine/HarnessError.ts"
import { type CommandFailure, failed, misused } from "./CommandFailure.ts"
import * as HeldFleet from "./HeldFleet.ts"

const EVERY = "500 millis"

/** A flag that names the fleet, for commands whose argument is a cluster. */
export const nameFlag = Flag.String("name").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The fleet (default: the only fleet that harness up started)"),
  Flag.withSchema(HeldFleet.Name),
  Flag.optional
)

/**
 * Returns the fleet of that name, or without a name the only fleet that `harness up` started. Undefined without a name
 * if there is none.
 */
export const chosen = Effect.fnUntraced(function* (
  name: string | undefined
): Effect.fn.Return<HeldFleet.HeldFleet | undefined, CommandFailure | MachineRefused> {
  const fleets = yield* HeldFleet.list
  if (name === undefined) {
    if (fleets.length < 2) return fleets[0]
    return yield* misused(`several fleets are held: ${fleets.map((fleet) => fleet.name).join(", ")}`)
  }
  const found = fleets.find((fleet) => fleet.name === name)
  if (found !== undefined) return found
  const others = fleets.length === 0 ? "" : `; held: ${fleets.map((fleet) => fleet.name).join(", ")}`
  return yield* failed(`no fleet named ${name} is held${others}`)
})

/** A cluster of a fleet that another process holds. */
export interface ReachedCluster {
  readonly cluster: FleetCluster
  /** Completes when the process that holds the fleet ends. */
  readonly untilGone: Effect.Effect<void, MachineRefused>
}

/**
 * Connects to one cluster of a fleet that `harness up` started. **Errors** `CommandFailure` if there is no such fleet
 * or cluster, or if the fleet cannot be reached.
 */
export const cluster = Effect.fnUntraced(function* (
  fleetName: Option.Option<string>,
  name: string
): Effect.fn.Return<ReachedCluster, CommandFailure | MachineRefused, Scope.Scope> {
  const held = yield* chosen(Option.getOrUndefined(fleetName))
  if (held === undefined) return yield* failed("no fleet is held; start one with harness up")
  const fleet = yield* connected(held)
  const found = fleet.clusters.find((cluster) => cluster.name === name)
  if (found === undefined) {
    const names = fleet.clusters.map((cluster) => cluster.name).join(", ")
    return yield* failed(`the fleet ${held.name} has no cluster ${name}; it has ${names}`)
  }
  const isHeld = Effect.map(
    HeldFleet.find(held.name),
    Option.exists(({ owner, state }) => owner.pid === held.owner.pid && state !== "dead")
  )
  const untilGone = Effect.asVoid(Effect.repeat(isHeld, { schedule: Schedule.spaced(EVERY), while: (is) => is }))
  return { cluster: found, untilGone }
})

const connected = Effect.fnUntraced(function* ({
  name,
  record,
  state
}: HeldFleet.HeldFleet): Effect.fn.Return<RunningFleet, CommandFailure, Scope.Scope> {
  if (state === "dead") return yield* failed(`the process that held ${name} is dead; clean up with harness sweep`)
  if (state === "elsewhere") return yield* failed(`the fleet ${name} is held in another container`)
  if (record === undefined) return yield* failed(`the fleet ${name} is still starting`)
  // Imported here, because most commands do not connect to a cluster.
  const { connect } = yield* Effect.promise(() => import("../fleet/ControlClient.ts"))
  return yield* connect(record.handle)
})
