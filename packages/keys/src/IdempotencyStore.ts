/**
 * Where it is kept what became of calls that are to be done once.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { KeyStoreError } from "./KeyError.ts"

/** Which call. **Shape** `owner` is the id of the key that made it, `key` what names it among that one's. */
export interface IdempotentCall {
  readonly owner: string
  readonly key: string
}

/** A call that is about to be done. **Shape** `fingerprint` tells what was asked; of another it differs. */
export interface IdempotentBeginning extends IdempotentCall {
  readonly fingerprint: string
  readonly at: DateTime.Utc
  /** What began earlier is forgotten. */
  readonly begunBefore: DateTime.Utc
  /** What is kept of one owner. **Units** `size` characters of answers. */
  readonly most: { readonly count: number; readonly size: number }
}

/**
 * What is known of a call.
 *
 * **Shape** `New`: it is noted now. `Known`: it began before, and its answer is absent until it has ended. `Full`: as much is kept
 * as may be, and the oldest began then.
 */
export type IdempotentState =
  | { readonly _tag: "New" }
  | { readonly _tag: "Known"; readonly fingerprint: string; readonly answer: string | undefined }
  | { readonly _tag: "Full"; readonly oldestAt: DateTime.Utc }

/** The port. **Errors** every call: `KeyStoreError`. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Notes a call unless it is known, in one step. */
    readonly begin: (beginning: IdempotentBeginning) => Effect.Effect<IdempotentState, KeyStoreError>
    /** Notes the answer of a call. */
    readonly end: (call: IdempotentCall, answer: string) => Effect.Effect<void, KeyStoreError>
    /** Forgets a call of which nothing was done. */
    readonly remove: (call: IdempotentCall) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/IdempotencyStore") {}
