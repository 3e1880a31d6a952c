/**
 * Maps errors of keys to problems of the contract.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import type { KeyError, KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Effect } from "effect"
import { refuse } from "./Refusal.ts"

/**
 * Fails with the problem of an error.
 *
 * **Errors** `invalid_body` (with the field), `invalid_cursor`, `role_forbidden`, `rule_not_contained`,
 * `key_not_found`, `key_configured`, `key_ended`, `last_admin`, `too_many_keys`; `key_store_unavailable`, whose cause is
 * only logged.
 */
export const fromError = (error: KeyError | KeyStoreError): Effect.Effect<never, Problem.Problem> => {
  if (error._tag === "KeyStoreError") {
    return Effect.andThen(
      Effect.logError("the key store failed", error),
      refuse("key_store_unavailable", { detail: "the keys cannot be read or written at the moment" })
    )
  }
  const { message: detail, reason } = error
  switch (reason._tag) {
    case "InvalidKeyName":
      return refuse("invalid_body", { detail, field: "name" })
    case "InvalidDescription":
      return refuse("invalid_body", { detail, field: "description" })
    case "InvalidAllowFrom":
      return refuse("invalid_body", { detail, field: "allowFrom" })
    case "InvalidExpiry":
      return refuse("invalid_body", { detail: `expire: ${detail}`, field: "expire" })
    case "InvalidGrace":
      return refuse("invalid_body", { detail: `grace: ${detail}`, field: "grace" })
    case "InvalidPosition":
      return refuse("invalid_cursor", { detail, field: "cursor" })
    case "RoleForbidden":
      return refuse("role_forbidden", { detail })
    case "RuleNotContained":
      return refuse("rule_not_contained", { detail, field: "rule" })
    case "ExpiryNotContained":
      return refuse("rule_not_contained", { detail, field: "expire" })
    case "AllowFromNotContained":
      return refuse("rule_not_contained", { detail, field: "allowFrom" })
    case "DescendantNotContained":
      return refuse("rule_not_contained", { detail, field: "children" })
    case "TooManyKeys":
      return refuse("too_many_keys", { detail })
    case "LastAdmin":
      return refuse("last_admin", { detail })
    case "KeyNotFound":
      return refuse("key_not_found", { detail, field: "id" })
    case "KeyConfigured":
      return refuse("key_configured", { detail, field: "id" })
    case "KeyEnded":
      return refuse("key_ended", { detail })
  }
}
