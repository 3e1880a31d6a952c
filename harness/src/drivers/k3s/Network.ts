/** The Docker network that the clusters of one driver share, so that a parent reaches its children inside. */
import { Effect, type Scope, Semaphore } from "effect"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { freshName, labels } from "./Labels.ts"

/** A place on the network. */
export interface Place {
  /** The network's name. */
  readonly network: string
  /** The name under which the others on the network find this cluster. */
  readonly alias: string
  /** The address of the engine's machine on the network. */
  readonly gateway: string | undefined
}

export interface SharedNetwork {
  /**
   * Takes a place, and gives it back with the scope; the network lives from the first place to the last.
   *
   * The alias is the cluster's name as a DNS label, with a number if somebody on the network has it already.
   */
  readonly join: (cluster: string) => Effect.Effect<Place, EngineError, Scope.Scope>
}

const ALIAS_CHARACTERS = 50

/** Makes no network before the first place is taken. */
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
        // Without an engine there is no network either.
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

/** Makes a DNS label of any name: small letters, digits and hyphens, a letter first. */
export const labelFrom = (name: string): string => {
  const label = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, ALIAS_CHARACTERS)
    .replace(/^-+|-+$/g, "")
  return /^[a-z]/.test(label) ? label : `cluster-${label}`.replace(/-$/, "")
}
