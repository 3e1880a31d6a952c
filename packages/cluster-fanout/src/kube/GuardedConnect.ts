/**
 * Opens connections to such addresses alone as a rule allows, judged at every connect, after the name was resolved.
 *
 * A name that was harmless when its cluster was registered may resolve to another address later.
 */
import { Context } from "effect"
import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { buildConnector } from "undici"
import * as AddressRule from "../registry/AddressRule.ts"

/** Resolves a name to all of its addresses. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  answered: (error: NodeJS.ErrnoException | null, addresses: Array<LookupAddress>) => void
) => void

/** Resolves a name as the system does, all of its addresses at once. */
export const HostLookup = Context.Reference<Lookup>("@quarterdeck/cluster-fanout/kube/GuardedConnect/HostLookup", {
  defaultValue: () => systemLookup
})

/** Thrown where the address may not be connected to; its code is what callers are told. */
class AddressForbidden extends Error {
  readonly code = "ADDRESS_FORBIDDEN"

  constructor(what: string) {
    super(`the address is ${what}, which is refused`)
  }
}

/** Resolves as `lookup` does, and fails where one of the addresses is forbidden: any of them may be connected to. */
export const guarded =
  (rule: AddressRule.AddressRule, lookup: Lookup): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, "")
      for (const { address } of addresses) {
        const what = AddressRule.faultOf(address, rule)
        if (what !== undefined) return callback(new AddressForbidden(what), "")
      }
      const [first] = addresses
      if (first === undefined) return callback(new AddressForbidden("no IP address"), "")
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family)
    })

export interface GuardedOptions {
  readonly rule: AddressRule.AddressRule
  readonly lookup: Lookup
  /** A host that the other end will connect to, which is judged too where its name can be resolved here. */
  readonly behind?: string
}

/** Makes what undici connects with. */
export const make = (
  { behind, lookup, rule }: GuardedOptions,
  options: buildConnector.BuildOptions
): buildConnector.connector => {
  const resolve = guarded(rule, lookup)
  const connect = buildConnector({ ...options, lookup: resolve })
  return (target, callback) => {
    for (const host of [target.hostname.replace(/^\[|\]$/g, ""), ...(behind === undefined ? [] : [behind])]) {
      const what = AddressRule.faultOfHost(host, rule)
      if (what !== undefined) return callback(new AddressForbidden(what), null)
    }
    if (behind === undefined || isIP(behind) !== 0) return connect(target, callback)
    return resolve(behind, { all: true }, (error) =>
      error instanceof AddressForbidden ? callback(error, null) : connect(target, callback)
    )
  }
}
