/**
 * The data with which another process can use a running fleet: addresses and tokens of its clusters and of its control
 * server.
 *
 * It is plain data, so it can be sent to workers and written to files. It contains credentials, so a file with it must
 * be readable only by its user.
 */
import { Effect, Redacted, Schema } from "effect"
import { type ClusterDriver, ADMIN } from "../drivers/ClusterDriver.ts"
import type { HarnessError } from "../machine/HarnessError.ts"
import type { RunningFleet } from "./RunningFleet.ts"

const Address = { server: Schema.NonEmptyString, caPem: Schema.String }

export const FleetConnection = Schema.Struct({
  /** Address of the control server: `http://127.0.0.1:<port>`. */
  url: Schema.NonEmptyString,
  token: Schema.NonEmptyString,
  /** The clusters, the parent first. */
  clusters: Schema.NonEmptyArray(
    Schema.Struct({
      name: Schema.NonEmptyString,
      role: Schema.Literals(["parent", "child"]),
      /** The address for clients: the proxy's, if the fleet has faults. */
      ...Address,
      /** The address of the cluster itself, without the proxy. */
      direct: Schema.Struct(Address),
      /** Address by which programs in the cluster reach this machine, if not the loopback address. */
      hostAddress: Schema.optionalKey(Schema.String),
      users: Schema.Array(Schema.Struct({ name: Schema.NonEmptyString, token: Schema.NonEmptyString }))
    })
  )
})
export type FleetConnection = typeof FleetConnection.Type

/** The address of each cluster itself, by cluster name. */
export type Addresses = ReadonlyMap<string, FleetConnection["clusters"][number]["direct"]>

/** Wraps a driver so that it records each cluster's own address, not that of the fault proxy in front of it. */
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

/**
 * Returns the connection data of a fleet, with the tokens of the administrator and `users`. **Errors** `InvalidFleet`
 * if the fleet was started without one of them.
 */
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
  if (parent === undefined) return yield* Effect.die(new Error("the fleet has no parent"))
  return { url: control.url, token: Redacted.value(control.token), clusters: [parent, ...children] }
})
