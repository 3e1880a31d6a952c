/**
 * What an embedded cluster remembers of its objects, and how it goes back to them.
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
  /** Gives what another cluster can go on from. **Limits** holds the text of every object. */
  readonly save: Effect.Effect<SavedState>
  /** Removes every object, begins as a new cluster does, and takes that as the checkpoint. */
  readonly beginAnew: Effect.Effect<void>
}

/** A cluster that outlives its process. **Shape** `extra` holds the key of its service accounts, as it is. */
export interface SavedState {
  readonly extra: Schema.Json
  /** One JSON text each. */
  readonly objects: ReadonlyArray<string>
}

/** What was saved is no cluster that can be started. */
export class BrokenState extends Schema.TaggedError<BrokenState>()("BrokenState", {
  /** What is wrong with it, as a clause. */
  problem: Schema.String
}) {
  override get message(): string {
    return `the saved state cannot be started: ${this.problem}`
  }
}

/** What a saved cluster gives to the one that goes on from it. */
interface Saved {
  readonly trust: Pick<Kernel, "pastIssuers" | "tokens">
  readonly objects: ReadonlyArray<string>
}

const Extra = Schema.Struct({
  serviceAccounts: Schema.Struct({ privateKey: Schema.String, issuers: Schema.Array(Schema.String) })
})
const decodeExtra = Schema.decodeUnknownOption(Extra)

/** Reads what `save` gave. **Errors** when its key is broken. */
export const open = Effect.fnUntraced(function* ({ extra, objects }: SavedState): Effect.fn.Return<Saved, BrokenState> {
  const trust = Option.flatMap(decodeExtra(extra), ({ serviceAccounts: { issuers, privateKey } }) =>
    Option.map(Option.liftThrowable(TokenKeys.make)(privateKey), (tokens) => ({ tokens, pastIssuers: issuers }))
  )
  if (Option.isNone(trust)) return yield* new BrokenState({ problem: "the key of its service accounts is broken" })
  return { trust: trust.value, objects }
})

/**
 * Gives a cluster its first objects, from a saved one if there is any, and takes the first checkpoint.
 *
 * **Shape** `begin` writes what a new cluster holds. The server listens already.
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
    beginAnew: Effect.sync(() => ObjectCapture.clear(kernel)).pipe(Effect.andThen(begin), Effect.andThen(checkpoint))
  }
})

const loaded = (kernel: Kernel, { objects }: Saved): Effect.Effect<void, BrokenState> =>
  Effect.suspend(() => {
    const written = ObjectCapture.load(kernel, objects)
    if (Result.isFailure(written)) {
      // The first line says what the file is, and people count lines from one.
      return Effect.fail(new BrokenState({ problem: `line ${written.failure + 2} of its file is broken` }))
    }
    return Effect.sync(() => moveService(kernel))
  })

/** The cluster's own service names the port that it listens on, which is another one now. */
const moveService = ({ place, store }: Kernel): void => {
  const stored = store.get(Resources.services, keyOf("default", "kubernetes"))
  if (stored === undefined) return
  const service = read(stored)
  const ports = arrayAt(service, "spec", "ports").map((one) =>
    isObject(one) ? { ...one, targetPort: place.port } : one
  )
  store.write(Resources.services, put(service, ["spec", "ports"], ports))
}
