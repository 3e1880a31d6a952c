/** Removes the containers and networks of dead owners. */
import { Effect } from "effect"
import { HarnessError, MachineRefused } from "../../machine/HarnessError.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { CLUSTER_LABEL, isDead, OWNER_LABEL } from "./Labels.ts"

/**
 * Removes the containers and networks of dead owners. Returns a line for each: `container eu (3f2a…)`, `network
 * quarterdeck-…`.
 *
 * Returns an empty list if no Docker engine responds.
 *
 * **Errors** `MachineRefused` if the engine refuses a removal.
 *
 * **Limits** touches only objects with the harness's label whose owner is a dead process of this machine and process
 * namespace.
 */
export const sweep: Effect.Effect<ReadonlyArray<string>, HarnessError> = Effect.suspend(() => swept).pipe(
  Effect.catchTag("EngineUnreachable", () => Effect.succeed([])),
  Effect.mapError(
    (cause) => new HarnessError({ reason: new MachineRefused({ action: "sweep the containers of dead runs", cause }) })
  )
)

/** Does the same as {@link sweep}, but fails if the engine does not respond. */
export const swept: Effect.Effect<ReadonlyArray<string>, EngineError> = Effect.gen(function* () {
  const containers = yield* orphansAmong(yield* Containers.list(OWNER_LABEL))
  yield* Effect.forEach(containers, ({ id }) => Containers.remove(id), { concurrency: 4, discard: true })
  // After the containers, because a network in use cannot be removed.
  const networks = yield* orphansAmong(yield* Containers.listNetworks(OWNER_LABEL))
  yield* Effect.forEach(networks, ({ id }) => Containers.removeNetwork(id), { concurrency: 4, discard: true })
  return [
    ...containers.map(
      ({ id, labels }) => `container ${labels[CLUSTER_LABEL] ?? "without a name"} (${id.slice(0, 12)})`
    ),
    ...networks.map(({ name }) => `network ${name}`)
  ]
})

const orphansAmong = <A extends Containers.Labelled>(found: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.filter(found, ({ labels }) => isDead(labels[OWNER_LABEL] ?? ""))
