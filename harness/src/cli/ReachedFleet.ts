/** Finds the fleet that a command is for among those that are held, and reaches its clusters. */
import { Effect, Option, Schedule, type Scope } from "effect"
import { Flag } from "effect/cli"
import type { FleetCluster } from "../fleet/FleetCluster.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import type { MachineRefused } from "../machine/HarnessError.ts"
import { type CommandFailure, failed, misused } from "./CommandFailure.ts"
import * as HeldFleet from "./HeldFleet.ts"

const EVERY = "500 millis"

/** Names the fleet for commands whose argument is a cluster. */
export const nameFlag = Flag.String("name").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The fleet (default the only one that is held)"),
  Flag.withSchema(HeldFleet.Name),
  Flag.optional
)

/** Finds the fleet of that name, or the only one; none where no fleet is held and none was named. */
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
  const held = fleets.length === 0 ? "none is" : `there are ${fleets.map((fleet) => fleet.name).join(", ")}`
  return yield* failed(`no fleet named ${name} is held; ${held}`)
})

/** A cluster of a fleet that another process holds. */
export interface ReachedCluster {
  readonly cluster: FleetCluster
  /** Ends with the fleet's holder. */
  readonly untilGone: Effect.Effect<void, MachineRefused>
}

/** Reaches one cluster of a held fleet. **Errors** `CommandFailure` when there is none, or its holder is gone. */
export const cluster = Effect.fnUntraced(function* (
  fleetName: Option.Option<string>,
  name: string
): Effect.fn.Return<ReachedCluster, CommandFailure | MachineRefused, Scope.Scope> {
  const held = yield* chosen(Option.getOrUndefined(fleetName))
  if (held === undefined) return yield* failed("no fleet is held; start one by harness up")
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
  if (state === "dead")
    return yield* failed(`the process that held ${name} is dead; remove what it left by harness sweep`)
  if (state === "elsewhere") return yield* failed(`the fleet ${name} is held in another container`)
  if (record === undefined) return yield* failed(`the fleet ${name} is still starting`)
  // Loaded only now, as most commands ask no cluster.
  const { connect } = yield* Effect.promise(() => import("../fleet/ControlClient.ts"))
  return yield* connect(record.handle)
})
