/**
 * Snapshots of an embedded cluster's objects: checkpoint, reset and save.
 */
import { Effect, Option, Redacted, Ref, Result, Schema } from "effect"
import { issuersOf } from "../access/ServiceAccountTokens.ts"
import { arrayAt, isObject, put } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, read } from "../core/Stored.ts"
import * as TokenKeys from "../core/TokenKeys.ts"
import * as ObjectCapture from "./ObjectCapture.ts"

export interface EmbeddedState {
  readonly checkpoint: Effect.Effect<void>
  readonly reset: Effect.Effect<void>
  /** Returns a state from which another cluster can start. **Limits** contains the text of every object. */
  readonly save: Effect.Effect<SavedState>
  /** Deletes every object, writes the initial objects of a new cluster, and takes a checkpoint. */
  readonly startOver: Effect.Effect<void>
}

/** A saved cluster. **Shape** `extra` contains the private key of its service account tokens, unencrypted. */
export interface SavedState {
  readonly extra: Schema.Json
  /** Each line is one object as JSON. */
  readonly objects: ReadonlyArray<string>
}

/** A saved state that no cluster can start from. */
export class BrokenState extends Schema.TaggedError<BrokenState>()("BrokenState", {
  /** The problem, as a clause. */
  problem: Schema.String
}) {
  override get message(): string {
    return `cannot start from the saved state: ${this.problem}`
  }
}

/** The parts of a saved state that a new cluster takes over. */
interface Saved {
  readonly trust: Pick<Kernel, "pastIssuers" | "tokens">
  readonly objects: ReadonlyArray<string>
}

const Extra = Schema.Struct({
  serviceAccounts: Schema.Struct({ privateKey: Schema.String, issuers: Schema.Array(Schema.String) })
})
const decodeExtra = Schema.decodeUnknownOption(Extra)

/** Parses a saved state. **Errors** if its key is invalid. */
export const open = Effect.fnUntraced(function* ({ extra, objects }: SavedState): Effect.fn.Return<Saved, BrokenState> {
  const trust = Option.flatMap(decodeExtra(extra), ({ serviceAccounts: { issuers, privateKey } }) =>
    Option.map(Option.liftThrowable(TokenKeys.make)(privateKey), (tokens) => ({ tokens, pastIssuers: issuers }))
  )
  if (Option.isNone(trust)) return yield* new BrokenState({ problem: "the key of its service accounts is invalid" })
  return { trust: trust.value, objects }
})

/**
 * Writes the objects of a saved state, or the initial objects of a new cluster, and takes the first checkpoint.
 *
 * **Shape** `begin` writes the initial objects. The server already listens.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly kernel: Kernel
  readonly begin: Effect.Effect<void>
  readonly saved: Saved | undefined
}): Effect.fn.Return<EmbeddedState, BrokenState> {
  const { begin, kernel, saved } = options
  if (saved === undefined) yield* begin
  else yield* loaded(kernel, saved)

  const captured = yield* Ref.make(ObjectCapture.capture(kernel))
  const checkpoint = Effect.suspend(() => Ref.set(captured, ObjectCapture.capture(kernel)))
  return {
    checkpoint,
    reset: Ref.update(captured, (objects) => ObjectCapture.restore(kernel, objects)),
    save: Effect.sync(() => ({
      extra: {
        serviceAccounts: { privateKey: Redacted.value(kernel.tokens.privateKeyPem), issuers: issuersOf(kernel) }
      },
      objects: ObjectCapture.lines(kernel)
    })),
    startOver: Effect.sync(() => ObjectCapture.clear(kernel)).pipe(Effect.andThen(begin), Effect.andThen(checkpoint))
  }
})

const loaded = (kernel: Kernel, { objects }: Saved): Effect.Effect<void, BrokenState> =>
  Effect.suspend(() => {
    const written = ObjectCapture.load(kernel, objects)
    if (Result.isFailure(written)) {
      // The first line of the file is a header, and line numbers start at 1.
      return Effect.fail(new BrokenState({ problem: `line ${written.failure + 2} of its file is broken` }))
    }
    return Effect.sync(() => moveService(kernel))
  })

/** Updates the port in the Service `kubernetes` to the port of this server. */
const moveService = ({ place, store }: Kernel): void => {
  const stored = store.get(Resources.services, keyOf("default", "kubernetes"))
  if (stored === undefined) return
  const service = read(stored)
  const ports = arrayAt(service, "spec", "ports").map((one) =>
    isObject(one) ? { ...one, targetPort: place.port } : one
  )
  store.write(Resources.services, put(service, ["spec", "ports"], ports))
}
