/**
 * `/api/v1/apiKeys`.
 *
 * @since 0.1.0
 */
import { Api } from "@quarterdeck/contract/Api"
import { CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { DEFAULT_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import { Principal } from "@quarterdeck/keys/Principal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as KeyRefusal from "../KeyRefusal.ts"
import * as RequestBody from "../RequestBody.ts"

export const ApiKeyHandlers = HttpApiBuilder.group(Api, "apiKeys", Effect.fn(function*(handlers) {
  const issuer = yield* KeyIssuer
  return handlers
    .handleRaw("create", Effect.fnUntraced(function*() {
      const caller = yield* Principal
      const body = yield* RequestBody.decode(CreateApiKey)
      return yield* issuer.create(caller, body).pipe(Effect.catch(KeyRefusal.fromError))
    }))
    .handle("list", Effect.fnUntraced(function*({ query: { cursor, limit = DEFAULT_LIMIT } }) {
      const caller = yield* Principal
      const page = yield* issuer.list(caller, { limit, ...(cursor === undefined ? {} : { position: cursor }) }).pipe(
        Effect.catch(KeyRefusal.fromError)
      )
      return { apiKeys: page.apiKeys, ...(page.next === undefined ? {} : { nextCursor: page.next }) }
    }))
    .handle("get", Effect.fnUntraced(function*({ params }) {
      return yield* issuer.get(yield* Principal, params.id).pipe(Effect.catch(KeyRefusal.fromError))
    }))
    .handle("revoke", Effect.fnUntraced(function*({ params }) {
      yield* issuer.revoke(yield* Principal, params.id).pipe(Effect.catch(KeyRefusal.fromError))
    }))
}))
