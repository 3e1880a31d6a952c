/**
 * Refuses keys from client addresses that their `allowFrom` does not hold, and warns where a proxy hides those addresses.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as AllowFrom from "@quarterdeck/keys/AllowFrom"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ClientAddress from "../../limits/ClientAddress.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestRecord from "../request/RequestRecord.ts"

/** Fails with `address_forbidden` unless the caller's key may be used from the client address of the current request. */
export const require = Effect.fnUntraced(function* ({
  allowFrom
}: Pick<Principal["Service"], "allowFrom">): Effect.fn.Return<void, Problem.Problem> {
  if (allowFrom === undefined) return
  const { clientAddress } = yield* RequestRecord.CurrentRequest
  if (AllowFrom.permits(allowFrom, clientAddress)) return
  const from = clientAddress === undefined ? "an unknown address" : `the address ${clientAddress}`
  return yield* refuse("address_forbidden", { detail: `the key may not be used from ${from}` })
})

/** The most peers that are warned of, so that strangers cannot fill the log. */
const MAX_PEERS = 100

/**
 * Makes what warns of a peer that sends `X-Forwarded-For` and is no trusted proxy, once for each peer.
 *
 * **Limits** the first 100 peers; of IPv6 a /64 is one peer.
 */
export const makeForwardingWarning = Effect.gen(function* () {
  const find = ClientAddress.finder(yield* ClientAddress.TrustedProxies)
  const warned = new Set<string>()
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    if (request.headers["x-forwarded-for"] === undefined || warned.size >= MAX_PEERS) return
    const address = Option.getOrUndefined(request.remoteAddress)
    if (address === undefined || find(address, []).proxies > 0) return
    const peer = ClientAddress.counted(find(address, []).client)
    if (warned.has(peer)) return
    warned.add(peer)
    yield* Effect.logWarning(
      `${peer} sends X-Forwarded-For and is no trusted proxy: the header is ignored, and limits and allowFrom see the peer's own address; if the peer is a proxy, name it in server.trustedProxies`
    )
    if (warned.size === MAX_PEERS) {
      yield* Effect.logWarning(`${MAX_PEERS} peers sent X-Forwarded-For; no further peer is logged`)
    }
  })
})
