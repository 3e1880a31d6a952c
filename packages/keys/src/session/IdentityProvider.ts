/**
 * Who vouches for people that sign in without a key.
 */
import { Context, type Effect, Layer, type Redacted, Schema } from "effect"
import type { Person } from "../Person.ts"

/** A person, and the provider's tokens that their claims are read again with: a text that only the provider's adapter reads. */
export interface Identified {
  readonly person: Person
  readonly tokens: Redacted.Redacted
}

/** The provider does not vouch for somebody any longer, or cannot be asked: for a session that is the same. */
export class NotVouched extends Schema.TaggedError<NotVouched>()("NotVouched", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** Reads the claims of somebody again. **Errors** `NotVouched`, also for another subject than before. */
    readonly readAgain: (identified: Identified) => Effect.Effect<Identified, NotVouched>
  }
>()("@quarterdeck/keys/session/IdentityProvider") {
  /** Vouches for nobody: people sign in with keys alone. */
  static readonly layerNone: Layer.Layer<IdentityProvider> = Layer.succeed(
    IdentityProvider,
    IdentityProvider.of({
      readAgain: () => new NotVouched({ problem: "no identity provider is configured" })
    })
  )
}
