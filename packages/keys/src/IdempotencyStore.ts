/**
 * Port of the idempotency store, which records idempotent calls and their answers.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { KeyStoreError } from "./KeyError.ts"

/** Identity of an idempotent call. **Shape** `owner`: id of the calling key. `key`: idempotency key, unique per owner. */
export interface IdempotentCall {
  readonly owner: string
  readonly key: string
}

/** A call that is about to run. **Shape** `fingerprint`: a digest that detects another request with the same key. */
export interface IdempotentBeginning extends IdempotentCall {
  readonly fingerprint: string
  readonly at: DateTime.Utc
  /** Calls that began before this instant are deleted. */
  readonly begunBefore: DateTime.Utc
  /** Limits per owner. **Units** `count`: calls. `size`: characters of stored answers. */
  readonly most: { readonly count: number; readonly size: number }
}

/**
 * Stored state of a call.
 *
 * **Shape** `New`: the call was unknown and is recorded now. `Known`: the call began before; `answer` is undefined until it
 * ends. `Full`: the owner is at its limits, and its oldest call began at `oldestAt`.
 */
export type IdempotentState =
  | { readonly _tag: "New" }
  | { readonly _tag: "Known"; readonly fingerprint: string; readonly answer: string | undefined }
  | { readonly _tag: "Full"; readonly oldestAt: DateTime.Utc }

/** The port. **Errors** every call: `KeyStoreError`. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** Records a call unless it is known, atomically. */
    readonly begin: (beginning: IdempotentBeginning) => Effect.Effect<IdempotentState, KeyStoreError>
    /** Stores the answer of a call. */
    readonly end: (call: IdempotentCall, answer: string) => Effect.Effect<void, KeyStoreError>
    /** Deletes a call that had no effect and has no answer, so that it can be retried. */
    readonly remove: (call: IdempotentCall) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/IdempotencyStore") {}
