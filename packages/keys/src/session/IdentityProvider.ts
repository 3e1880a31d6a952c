/**
 * Port of the identity provider, which authenticates people who sign in without a key.
 */
import { Context, type Effect, Layer, type Redacted, Schema } from "effect"
import type { Person } from "../Person.ts"

/** A person, and the tokens for refreshing the person's claims. Only the provider's adapter reads `tokens`. */
export interface Identified {
  readonly person: Person
  readonly tokens: Redacted.Redacted
}

/** The provider no longer confirms the person, or cannot be reached. Either way, the session ends. */
export class NotVouched extends Schema.TaggedError<NotVouched>()("NotVouched", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** Refreshes the claims of a person. **Errors** `NotVouched`, also if the subject has changed. */
    readonly readAgain: (identified: Identified) => Effect.Effect<Identified, NotVouched>
  }
>()("@quarterdeck/keys/session/IdentityProvider") {
  /** No identity provider: people sign in with keys only. */
  static readonly layerNone: Layer.Layer<IdentityProvider> = Layer.succeed(
    IdentityProvider,
    IdentityProvider.of({
      readAgain: () => new NotVouched({ problem: "no identity provider is configured" })
    })
  )
}
