/**
 * Opens connections only to addresses that a rule allows. Checked at every connect, after the name is resolved.
 *
 * A name that resolved to a harmless address when its cluster was registered may resolve to another address later.
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

/** Resolves a name with the system's resolver, to all addresses at once. */
export const HostLookup = Context.Reference<Lookup>("@quarterdeck/cluster-fanout/kube/GuardedConnect/HostLookup", {
  defaultValue: () => systemLookup
})

/** Thrown if a connection to the address is forbidden. Callers receive its code. */
class AddressForbidden extends Error {
  readonly code = "ADDRESS_FORBIDDEN"

  constructor(what: string) {
    super(`the address is ${what}, which is refused`)
  }
}

/** Resolves with `lookup`, and fails if one of the addresses is forbidden, because any of them may be used. */
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
      if (first === undefined) return callback(new AddressForbidden("not an IP address"), "")
      return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family)
    })

export interface GuardedOptions {
  readonly rule: AddressRule.AddressRule
  readonly lookup: Lookup
  /** A host that the proxy will connect to. Checked too, if its name can be resolved here. */
  readonly behind?: string
}

/** Makes a connector for undici. */
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
