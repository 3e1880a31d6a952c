/** Removes the containers and networks of owners that died without removing them. */
import { Effect } from "effect"
import { HarnessError, MachineRefused } from "../../machine/HarnessError.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { CLUSTER_LABEL, isDead, OWNER_LABEL } from "./Labels.ts"

/**
 * Removes what dead owners left, and says what it was: `container eu (3f2a…)`, `network quarterdeck-…`.
 *
 * It is empty when no Docker engine answers: nothing can have been left with it that could be removed now.
 *
 * **Errors** `MachineRefused` when the engine refuses a removal.
 *
 * **Limits** touches only what carries the harness's label with an owner of this machine and process namespace that no
 * longer runs.
 */
export const sweep: Effect.Effect<ReadonlyArray<string>, HarnessError> = Effect.suspend(() => swept).pipe(
  Effect.catchTag("EngineUnreachable", () => Effect.succeed([])),
  Effect.mapError(
    (cause) => new HarnessError({ reason: new MachineRefused({ action: "sweep what ended runs left", cause }) })
  )
)

/** The same for those who need the engine anyway. **Errors** when it does not answer. */
export const swept: Effect.Effect<ReadonlyArray<string>, EngineError> = Effect.gen(function* () {
  const containers = yield* orphansAmong(yield* Containers.list(OWNER_LABEL))
  yield* Effect.forEach(containers, ({ id }) => Containers.remove(id), { concurrency: 4, discard: true })
  // After the containers: a network that is in use cannot be removed.
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
