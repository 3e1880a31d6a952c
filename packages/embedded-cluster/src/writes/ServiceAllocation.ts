/**
 * Allocates the cluster IPs and node ports of Services.
 *
 * As on the real server, automatic allocation uses the upper part of each range first. The lower part stays free for
 * Services that request a certain address or port.
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
 * Cluster IPs are in 10.0.0.0/16. `HOSTS` are offsets from its base; the base and the last address are never
 * allocated. The lower part has 256 addresses, the maximum of the real server, and one 32nd of the node ports.
 */
const RANGE = "10.0."
const HOSTS = { first: 1, firstAutomatic: 257, last: 65_534 }
const PORTS = { first: 30_000, firstAutomatic: 30_086, last: 32_767 }

/** Returns the first free number of the upper part, then of the lower part. */
const firstFree = (
  { first, firstAutomatic, last }: typeof PORTS,
  isFree: (number: number) => boolean
): number | undefined => {
  for (let number = firstAutomatic; number <= last; number++) if (isFree(number)) return number
  for (let number = first; number < firstAutomatic; number++) if (isFree(number)) return number
  return undefined
}

/** Makes the allocators of a cluster. */
export const surroundings = (store: Store): Surroundings => ({
  serviceAddress: () => freeAddress(store),
  nodePort: (taken) => freeNodePort(store, taken)
})

/** Returns an address that no Service uses. */
export const freeAddress = (store: Store): string => {
  const taken = new Set(store.list(Resources.services, "").map((service) => service.fields["spec.clusterIP"]))
  const addressOf = (host: number) => `${RANGE}${host >> 8}.${host & 255}`
  const host = firstFree(HOSTS, (one) => !taken.has(addressOf(one)))
  // 65,534 Services use the whole range; then only headless Services can be created.
  return host === undefined ? "None" : addressOf(host)
}

/** Returns a node port that no Service uses and that is not in `taken`. */
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
 * Checks the address and node ports that a Service requests: they must be in range and unused.
 *
 * **Limits** linear in the Services of the cluster, and only for addresses and ports that the Service did not have
 * before.
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
  return taken ? refused("is used by another service") : []
}

const portErrors = (store: Store, object: JsonObject, before: JsonObject | undefined): ReadonlyArray<FieldError> => {
  const current = new Set(arrayAt(before, "spec", "ports").map((port) => at(port, "nodePort")))
  const requested = new Set<string>()
  return arrayAt(object, "spec", "ports").flatMap((port, place) => {
    const number = numberAt(port, "nodePort") ?? 0
    if (number === 0) return []
    const refused = (why: string) => [invalidValue(`spec.ports[${place}].nodePort`, number, why)]
    const key = `${textAt(port, "protocol")} ${number}`
    const again = requested.has(key)
    requested.add(key)
    if (again) return refused("is used by another port of this service")
    if (current.has(number)) return []
    if (number < PORTS.first || number > PORTS.last) {
      return refused(`must be from ${PORTS.first} to ${PORTS.last}`)
    }
    return isTaken(store, number) ? refused("is used by another service") : []
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
