/**
 * `GET /api/v1/whoami`.
 */
import { Api } from "@quarterdeck/contract/Api"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import { Principal } from "@quarterdeck/keys/Principal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as KeyRefusal from "../KeyRefusal.ts"

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
