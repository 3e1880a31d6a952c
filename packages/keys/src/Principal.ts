/**
 * Who is asking: the key that a request was authenticated with, or the person who signed in.
 */
import { Context, type DateTime } from "effect"
import type { AllowFrom } from "./AllowFrom.ts"
import type { Source } from "./ApiKey.ts"
import type { Rule } from "./Rule.ts"

/**
 * The caller of the current request.
 *
 * **Shape** `keyId` names a key in replies and in the audit; `oidc:` and the subject name a person. A configured key's id follows its name, so a replaced
 * secret of the same name has the same id: what must end with the secret is bound to the secret, not to the id.
 * The rule answers the rest: `Rule.clusterScope`, `Rule.namespaceFilter`, `Access.decide`.
 *
 * **Limits** provided per request through the context of the effect, and nowhere else.
 */
export class Principal extends Context.Service<
  Principal,
  {
    readonly keyId: string
    readonly name: string
    readonly rule: Rule
    readonly source: Source
    /** The client addresses that the key may be used from; everywhere when absent. */
    readonly allowFrom?: AllowFrom
    readonly expiresAt?: DateTime.Utc
    /** Only of a person who signed in at an identity provider, not with a key. */
    readonly signedInAt?: DateTime.Utc
  }
>()("@quarterdeck/keys/Principal") {}
