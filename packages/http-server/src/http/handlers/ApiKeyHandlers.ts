/**
 * `/api/v1/apiKeys` and `/api/v1/whoami`.
 */
import { RowOrder } from "@quarterdeck/cluster-fanout"
import { Api } from "@quarterdeck/contract/Api"
import { CreateApiKey, RotateApiKey, UpdateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import type * as Problem from "@quarterdeck/contract/Problem"
import * as Cursor from "@quarterdeck/cluster-fanout/Cursor"
import { DEFAULT_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import type { KeyError, KeyStoreError } from "@quarterdeck/keys/KeyError"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import { Principal } from "@quarterdeck/keys/Principal"
import { Effect, type Redacted, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AuditedChange from "../audit/AuditedChange.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import * as KeyRefusal from "../refusal/KeyRefusal.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import { noteDescendants, noteObject } from "../guard/TargetResolution.ts"

const NOT_FOUND = 404
const CONFLICT = 409

export const ApiKeyHandlers = HttpApiBuilder.group(
  Api,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const issuer = yield* KeyIssuer
    const cursorKey = yield* Cursor.CursorKey
    const revoke = revoking(issuer, yield* AuditTrail)
    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* () {
          const caller = yield* Principal
          const body = yield* RequestBody.decode(CreateApiKey)
          const created = yield* issuer.create(caller, body).pipe(Effect.catch(KeyRefusal.fromError))
          yield* noteObject(created.apiKey.id)
          yield* AuditedChange.note({ after: AuditedChange.stateOf(created.apiKey) })
          return created
        })
      )
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query: { cursor, limit = DEFAULT_LIMIT, ...filter } }) {
          const caller = yield* Principal
          const { createdBy, name, status } = filter
          const binding = `apiKeys ${JSON.stringify([caller.keyId, createdBy, name, status])}`
          const position = cursor === undefined ? undefined : yield* open(cursorKey, binding, cursor)
          const page = yield* issuer
            .list(caller, { limit, ...filter, ...(position === undefined ? {} : { position }) })
            .pipe(Effect.catch(KeyRefusal.fromError))
          return {
            apiKeys: page.apiKeys,
            ...(page.next === undefined ? {} : { nextCursor: Cursor.seal(cursorKey, binding, [page.next]) })
          }
        })
      )
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params: { id }, query }) {
          const caller = yield* Principal
          const apiKey = yield* issuer.get(caller, id).pipe(Effect.catch(KeyRefusal.fromError))
          if (query.children !== "true") return apiKey
          const descendants = yield* issuer.countDescendants(caller, id).pipe(Effect.catch(KeyRefusal.fromError))
          return { ...apiKey, descendants }
        })
      )
      .handleRaw(
        "update",
        Effect.fnUntraced(function* ({ params, query }) {
          const body = yield* RequestBody.decode(UpdateApiKey)
          const updated = yield* issuer
            .update(yield* Principal, params.id, { ...body, force: query.force === "true" })
            .pipe(Effect.catch(KeyRefusal.fromError))
          yield* AuditedChange.note({ after: AuditedChange.stateOf(updated) })
          return updated
        })
      )
      .handleRaw(
        "rotate",
        Effect.fnUntraced(function* ({ params }) {
          const body = yield* RequestBody.decode(RotateApiKey)
          const rotated = yield* issuer
            .rotate(yield* Principal, params.id, body)
            .pipe(Effect.catch(KeyRefusal.fromError))
          yield* AuditedChange.note({ after: AuditedChange.stateOf(rotated.apiKey) })
          return rotated
        })
      )
      .handle(
        "revoke",
        Effect.fnUntraced(function* ({ params: { id }, query }) {
          return yield* revoke(yield* Principal, id, query)
        })
      )
  })
)

/** Makes the function that revokes a key, and its descendants if requested. */
const revoking = (issuer: KeyIssuer["Service"], trail: AuditTrail["Service"]) => {
  /** Runs a revocation, and audits it even if no key was revoked. `AuditTrail.end` audits denials. */
  const audited = <A>(revocation: Effect.Effect<A, KeyError | KeyStoreError | Problem.Problem>) =>
    revocation.pipe(
      Effect.catch((error) => (error instanceof Error ? KeyRefusal.fromError(error) : Effect.fail(error))),
      Effect.tapError(({ status }) => (status === NOT_FOUND || status === CONFLICT ? trail.attempt : Effect.void)),
      Effect.tap(() => trail.attempt)
    )
  return Effect.fnUntraced(function* (
    caller: Principal["Service"],
    id: string,
    query: { readonly children?: string; readonly force?: string }
  ) {
    const options = { force: query.force === "true", admit: trail.beginRevocation }
    if (query.children !== "true") {
      const apiKey = yield* audited(issuer.revoke(caller, id, options))
      yield* AuditedChange.note({ before: AuditedChange.stateOf(apiKey) })
      return apiKey
    }
    const { apiKey, descendants } = yield* audited(issuer.revokeFamily(caller, id, options))
    yield* noteDescendants(descendants)
    yield* AuditedChange.note({ before: AuditedChange.stateOf(apiKey) })
    return { ...apiKey, descendants }
  })
}

/** Cursor position in the list of keys: a single text, which `KeyIssuer` parses. */
const PLACE = RowOrder.make<string>(
  RowOrder.text((position) => position),
  "asc",
  []
)

const open = Effect.fnUntraced(function* (key: Redacted.Redacted<Uint8Array>, binding: string, cursor: string) {
  const place = Cursor.open(key, binding, PLACE, cursor)
  if (Result.isSuccess(place)) return String(place.success[0])
  return yield* refuse("invalid_cursor", { detail: place.failure.message, field: "cursor" })
})

/** `GET /api/v1/whoami`. */
export const WhoamiHandlers = HttpApiBuilder.group(
  Api,
  "whoami",
  Effect.fn(function* (handlers) {
    const issuer = yield* KeyIssuer
    return handlers.handle(
      "whoami",
      Effect.fnUntraced(function* () {
        return yield* issuer.whoami(yield* Principal).pipe(Effect.catch(KeyRefusal.fromError))
      })
    )
  })
)
