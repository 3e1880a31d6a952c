/**
 * The addresses and node ports of services: what one asks for, and what one that does not ask is given.
 *
 * As on the real server, services that do not ask are given of the upper part of each range until it is full, so that
 * whoever names an address or a port of the lower part finds it free.
 *
 * **Source** Kubernetes 1.36, `calculateRangeOffset` of `pkg/registry/core/service/ipallocator` and `portallocator`;
 * kubernetes.io, "Service ClusterIP allocation"; KEP-3070, KEP-3668.
 */
import { arrayAt, at, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import type { Surroundings } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { type FieldError, invalidValue } from "../core/Status.ts"
import type { Store } from "../core/Store.ts"
import { read } from "../core/Stored.ts"

/**
 * The range is 10.0.0.0/16; hosts count from its base, and neither the base nor the last is given. The lower part has
 * 256 addresses, the most that it ever has, and a 32nd of the ports.
 */
const RANGE = "10.0."
const HOSTS = { first: 1, firstUnasked: 257, last: 65_534 }
const PORTS = { first: 30_000, firstUnasked: 30_086, last: 32_767 }

/** The first free number of the upper part, then of the lower one. */
const firstFree = (
  { first, firstUnasked, last }: typeof PORTS,
  isFree: (number: number) => boolean
): number | undefined => {
  for (let number = firstUnasked; number <= last; number++) if (isFree(number)) return number
  for (let number = first; number < firstUnasked; number++) if (isFree(number)) return number
  return undefined
}

/** Gives services what they leave open. */
export const surroundings = (store: Store): Surroundings => ({
  serviceAddress: () => freeAddress(store),
  nodePort: (taken) => freeNodePort(store, taken)
})

/** An address that no service has. */
export const freeAddress = (store: Store): string => {
  const taken = new Set(store.list(Resources.services, "").map((service) => service.fields["spec.clusterIP"]))
  const addressOf = (host: number) => `${RANGE}${host >> 8}.${host & 255}`
  const host = firstFree(HOSTS, (one) => !taken.has(addressOf(one)))
  // 65,534 services fill the range; a headless one is what such a cluster can still have.
  return host === undefined ? "None" : addressOf(host)
}

/** A node port that no service has, nor is among those `taken`. */
export const freeNodePort = (store: Store, taken: ReadonlySet<number>): number => {
  const known = new Set(
    store
      .list(Resources.services, "")
      .filter((service) => service.body.includes('"nodePort":'))
      .flatMap((service) => arrayAt(read(service), "spec", "ports"))
      .map((port) => numberAt(port, "nodePort"))
  )
  return firstFree(PORTS, (port) => !known.has(port) && !taken.has(port)) ?? PORTS.first
}

/**
 * Finds what a service asks for that it cannot have: an address or a node port of another one, or none that there is.
 *
 * **Limits** linear in the services of the cluster, and only for what the service did not have before.
 */
export const allocationErrors = (
  store: Store,
  object: JsonObject,
  before: JsonObject | undefined
): ReadonlyArray<FieldError> => [...addressErrors(store, object, before), ...portErrors(store, object, before)]

const addressErrors = (store: Store, object: JsonObject, before: JsonObject | undefined): ReadonlyArray<FieldError> => {
  const address = textAt(object, "spec", "clusterIP")
  if (address === "" || address === "None" || address.includes(":") || address === textAt(before, "spec", "clusterIP"))
    return []
  const refused = (rule: string) => [invalidValue("spec.clusterIPs", [address], rule)]
  if (!address.startsWith(RANGE)) return refused(`must be in ${RANGE}0.0/16`)
  const taken = store.list(Resources.services, "").some((other) => other.fields["spec.clusterIP"] === address)
  return taken ? refused("another service has it") : []
}

const portErrors = (store: Store, object: JsonObject, before: JsonObject | undefined): ReadonlyArray<FieldError> => {
  const own = new Set(arrayAt(before, "spec", "ports").map((port) => at(port, "nodePort")))
  const seen = new Set<string>()
  return arrayAt(object, "spec", "ports").flatMap((port, place) => {
    const number = numberAt(port, "nodePort") ?? 0
    if (number === 0) return []
    const refused = (why: string) => [invalidValue(`spec.ports[${place}].nodePort`, number, why)]
    const key = `${textAt(port, "protocol")} ${number}`
    const again = seen.has(key)
    seen.add(key)
    if (again) return refused("another port has it")
    if (own.has(number)) return []
    if (number < PORTS.first || number > PORTS.last) {
      return refused(`must be from ${PORTS.first} to ${PORTS.last}`)
    }
    return isTaken(store, number) ? refused("another port has it") : []
  })
}

const isTaken = (store: Store, number: number): boolean =>
  store
    .list(Resources.services, "")
    .some(
      (other) =>
        other.body.includes(`"nodePort":${number}`)
        && arrayAt(read(other), "spec", "ports").some((port) => numberAt(port, "nodePort") === number)
    )
