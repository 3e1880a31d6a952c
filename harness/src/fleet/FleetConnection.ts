/**
 * Everything that another process needs to use a running fleet: how to enter its clusters, and where to control them.
 *
 * It is plain data, so it passes to workers and into files; it holds credentials, so a file of it is its user's alone.
 */
import { Effect, Redacted, Schema } from "effect"
import { type ClusterDriver, ADMIN } from "../drivers/ClusterDriver.ts"
import type { HarnessError } from "../machine/HarnessError.ts"
import type { RunningFleet } from "./RunningFleet.ts"

const Address = { server: Schema.NonEmptyString, caPem: Schema.String }

export const FleetConnection = Schema.Struct({
  /** Where the fleet is controlled: `http://127.0.0.1:<port>`. */
  url: Schema.NonEmptyString,
  token: Schema.NonEmptyString,
  /** The parent first. */
  clusters: Schema.NonEmptyArray(
    Schema.Struct({
      name: Schema.NonEmptyString,
      role: Schema.Literals(["parent", "child"]),
      /** What clients are given: the proxy where the fleet has faults. */
      ...Address,
      /** The cluster itself, which faults do not touch. */
      direct: Schema.Struct(Address),
      /** At which programs of the cluster reach this machine, where that is not the loopback address. */
      hostAddress: Schema.optionalKey(Schema.String),
      users: Schema.Array(Schema.Struct({ name: Schema.NonEmptyString, token: Schema.NonEmptyString }))
    })
  )
})
export type FleetConnection = typeof FleetConnection.Type

/** Where a cluster itself is, by its name. */
export type Addresses = ReadonlyMap<string, FleetConnection["clusters"][number]["direct"]>

/** Wraps a driver so that it notes where its clusters are, whatever proxies stand before them. */
export const recordAddresses = (
  driver: ClusterDriver
): { readonly driver: ClusterDriver; readonly addresses: Addresses } => {
  const addresses = new Map<string, FleetConnection["clusters"][number]["direct"]>()
  const start: ClusterDriver["start"] = (options) =>
    Effect.tap(driver.start(options), ({ caPem, name, server }) =>
      Effect.sync(() => addresses.set(name, { server, caPem }))
    )
  return { driver: { ...driver, start }, addresses }
}

/** Describes a fleet, with the administrator and `users`. **Errors** `InvalidFleet` when it has no such user. */
export const of = Effect.fnUntraced(function* (
  fleet: RunningFleet,
  options: {
    readonly control: { readonly url: string; readonly token: Redacted.Redacted<string> }
    readonly addresses: Addresses
    readonly users: ReadonlyArray<string>
  }
): Effect.fn.Return<FleetConnection, HarnessError> {
  const { addresses, control } = options
  const [parent, ...children] = yield* Effect.forEach([fleet.parent, ...fleet.children], (cluster) =>
    Effect.map(
      Effect.forEach([ADMIN.name, ...options.users], (name) =>
        Effect.map(cluster.token(name), (token) => ({ name, token: Redacted.value(token) }))
      ),
      (users) => {
        const { caPem, hostAddress, name, role, server } = cluster
        const direct = addresses.get(name) ?? { server, caPem }
        return { name, role, server, caPem, direct, users, ...(hostAddress === undefined ? {} : { hostAddress }) }
      }
    )
  )
  if (parent === undefined) return yield* Effect.die(new Error("a fleet has a parent"))
  return { url: control.url, token: Redacted.value(control.token), clusters: [parent, ...children] }
})
