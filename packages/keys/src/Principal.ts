/**
 * The authenticated caller of a request: a key, or a signed-in person.
 */
import { Context, type DateTime } from "effect"
import type { AllowFrom } from "./AllowFrom.ts"
import type { Source } from "./ApiKey.ts"
import type { Rule } from "./Rule.ts"

/**
 * The caller of the current request.
 *
 * **Shape** `keyId` is a key id, or `oidc:` and the subject of a person. The id of a configured key is derived from its name,
 * so it stays the same when the secret is replaced. State that must end with the secret is bound to the hash, not to the id.
 * `Rule.clusterScope`, `Rule.namespaceFilter` and `Access.decide` evaluate the rule.
 *
 * **Limits** provided per request, only through the context of the effect.
 */
export class Principal extends Context.Service<
  Principal,
  {
    readonly keyId: string
    readonly name: string
    readonly rule: Rule
    readonly source: Source
    /** The client addresses that the key may be used from; any address when absent. */
    readonly allowFrom?: AllowFrom
    readonly expiresAt?: DateTime.Utc
    /** Present if the caller is a person who signed in at an identity provider. */
    readonly signedInAt?: DateTime.Utc
  }
>()("@quarterdeck/keys/Principal") {}
