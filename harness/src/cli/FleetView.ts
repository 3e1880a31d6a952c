/** Shows a fleet that `harness up` started: a table that is redrawn on a terminal, or one line per change otherwise. */
import { Clock, Effect } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import { type ClusterState, stateOf } from "./ClusterState.ts"
import type { Requests } from "./NamedDriver.ts"
import * as Print from "./Print.ts"

const EVERY = "2 seconds"

/** Shows the fleet until it is interrupted. */
export const show = Effect.fnUntraced(function* (fleet: RunningFleet, requests: Requests) {
  const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
  const started = yield* Clock.currentTimeMillis
  let drawn = 0
  let known: ReadonlyMap<string, boolean> = new Map(fleet.clusters.map(({ name }) => [name, true]))

  const draw = Effect.fnUntraced(function* (states: ReadonlyArray<ClusterState>) {
    const seconds = Math.floor(((yield* Clock.currentTimeMillis) - started) / 1000)
    const lines = [...tableOf(states), `held for ${duration(seconds)}; Ctrl-C takes it down`]
    const back = drawn === 0 ? "" : `\u001b[${drawn}A`
    drawn = lines.length
    yield* Print.output(`${back}${lines.map((line) => `\u001b[2K${line}\n`).join("")}`)
  })
  const printChanges = Effect.fnUntraced(function* (states: ReadonlyArray<ClusterState>) {
    const changed = states.filter(({ isReady, name }) => known.get(name) !== isReady)
    known = new Map(states.map(({ isReady, name }) => [name, isReady]))
    yield* Effect.forEach(changed, ({ isReady, name }) => Print.line(`${name}: ${isReady ? "ready" : "down"}`))
  })

  const once = Effect.forEach(fleet.clusters, (cluster) => stateOf(cluster, requests.get(cluster.name)), {
    concurrency: "unbounded"
  })
  yield* Effect.flatMap(once, canAnimate ? draw : printChanges).pipe(
    Effect.andThen(Effect.sleep(EVERY)),
    Effect.forever
  )
})

/**
 * Formats one line per cluster under a heading. **Shape** the column for requests appears if any cluster counts them.
 */
export const tableOf = (states: ReadonlyArray<ClusterState>): ReadonlyArray<string> => {
  const isCounted = states.some(({ requests }) => requests !== undefined)
  const countOf = (count: number | undefined): string => (count === undefined ? "-" : String(count))
  return Print.table([
    ["CLUSTER", "STATE", "OBJECTS", ...(isCounted ? ["REQUESTS"] : []), "SERVER"],
    ...states.map(({ isReady, name, objects, requests, server }) => [
      name,
      isReady ? "ready" : "down",
      countOf(objects),
      ...(isCounted ? [countOf(requests)] : []),
      server
    ])
  ])
}

/** Formats a duration: `1 h 02 min`, `3 min`, `12 s`. */
export const duration = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`
}
