/** The Docker network that the clusters of a driver share, on which they reach each other by name. */
import { Effect, type Scope, Semaphore } from "effect"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { freshName, labels } from "./Labels.ts"

/** A cluster's membership in the network. */
export interface Place {
  /** Name of the network. */
  readonly network: string
  /** Name of this cluster on the network. */
  readonly alias: string
  /** Address of the engine's machine on the network. */
  readonly gateway: string | undefined
}

export interface SharedNetwork {
  /**
   * Joins the network; closing the scope leaves it. The first member creates the network, the last one removes it.
   *
   * The alias is the cluster's name as a DNS label, with a number if another member has the same alias.
   */
  readonly join: (cluster: string) => Effect.Effect<Place, EngineError, Scope.Scope>
}

const ALIAS_CHARACTERS = 50

/** Returns a network that is created when its first member joins. */
export const make = (): SharedNetwork => {
  const turn = Semaphore.makeUnsafe(1)
  const aliases = new Set<string>()
  let current: { readonly id: string; readonly name: string; readonly gateway: string | undefined } | undefined

  const enter = Effect.fnUntraced(function* (cluster: string) {
    if (current === undefined) {
      const name = yield* freshName
      const id = yield* Containers.createNetwork(name, yield* labels)
      current = { id, name, gateway: undefined }
      current = { id, name, gateway: yield* Containers.gatewayOf(id) }
    }
    const alias = freeAlias(aliases, cluster)
    aliases.add(alias)
    return { network: current.name, alias, gateway: current.gateway }
  })
  const leave = Effect.fnUntraced(function* ({ alias }: Place) {
    aliases.delete(alias)
    if (aliases.size > 0 || current === undefined) return
    const { id } = current
    current = undefined
    yield* Containers.removeNetwork(id)
  })
  return {
    join: (cluster) =>
      Effect.acquireRelease(turn.withPermit(enter(cluster)), (place) =>
        // Without an engine there is no network to remove.
        turn.withPermit(leave(place)).pipe(Effect.ignore({ log: "Debug" }))
      )
  }
}

const freeAlias = (taken: ReadonlySet<string>, cluster: string): string => {
  const label = labelFrom(cluster)
  let alias = label
  for (let number = 2; taken.has(alias); number++) alias = `${label}-${number}`
  return alias
}

/** Converts any name to a DNS label: lower-case letters, digits and hyphens, starting with a letter. */
export const labelFrom = (name: string): string => {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, ALIAS_CHARACTERS)
    .replace(/^-+|-+$/g, "")
  return /^[a-z]/.test(label) ? label : `cluster-${label}`.replace(/-$/, "")
}
