/**
 * Refuses a key whose `allowFrom` does not contain the client address. Warns if an untrusted proxy hides client addresses.
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

/** Maximum number of peers that are logged, so that unknown clients cannot flood the log. */
const MAX_PEERS = 100

/**
 * Makes a function that logs a warning, once per peer, if an untrusted peer sends `X-Forwarded-For`.
 *
 * **Limits** the first 100 peers; an IPv6 /64 counts as one peer.
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
      `${peer} sends X-Forwarded-For but is not a trusted proxy: the header is ignored, and limits and allowFrom use the peer's own address; if the peer is a proxy, add it to server.trustedProxies`
    )
    if (warned.size === MAX_PEERS) {
      yield* Effect.logWarning(`${MAX_PEERS} untrusted peers sent X-Forwarded-For; further peers are not logged`)
    }
  })
})
