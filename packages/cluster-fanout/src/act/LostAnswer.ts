/**
 * Finds out whether a change without an answer was applied: by reading, never by sending it again.
 */
import { Effect, Option } from "effect"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { count } from "../projection/Field.ts"

/** Errors that occur before a connection is open: the change was not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** Returns whether a failed change may have been applied. */
export const mayBeDone = ({ reason }: ClusterError): boolean => {
  switch (reason._tag) {
    case "ClusterTimeout":
    case "ClusterTooLarge":
    case "ClusterAnswerInvalid":
      return true
    case "ClusterUnreachable":
      return !NOT_SENT.has(reason.code)
    case "ClusterCertificateInvalid":
    case "ClusterCredentialUnavailable":
    case "ClusterExpired":
    case "ClusterForbids":
    case "ClusterRefused":
    case "ClusterThrottled":
    case "ClusterUnauthorized":
    case "ClusterUnsupported":
      return false
  }
}

/**
 * Result of a change without an answer.
 *
 * **Shape** `Done`: the object has the requested state. `NotDone`: the object is unchanged.
 */
export type Settled =
  | { readonly _tag: "Done"; readonly resourceVersion: string }
  | { readonly _tag: "NotDone" }
  | { readonly _tag: "Unknown" }

/**
 * Pauses before the reads, in milliseconds. They give the server time to apply a change that it was still processing
 * when the connection broke.
 */
const WAITS_MS = [0, 250, 1_000, 2_000] as const

interface Expected {
  readonly before: KubeObject
  readonly isReached: (object: KubeObject) => boolean
}

/**
 * Reads the object until it shows the change or the reads are used up.
 *
 * **Shape** `reading` returns `None` if the object is gone or cannot be read. An object that was created again under
 * the same name proves nothing. An unchanged resource version or generation proves that nothing was changed. If the
 * spec has changed in another way, the result is `Unknown`: another client may have changed it.
 *
 * **Limits** four reads over 3.25 seconds plus their own duration.
 */
export const settle = Effect.fnUntraced(function* (
  reading: Effect.Effect<Option.Option<KubeObject>>,
  { before, isReached }: Expected
) {
  let last: Option.Option<KubeObject> = Option.none()
  for (const waitMs of WAITS_MS) {
    yield* Effect.sleep(waitMs)
    last = yield* reading
    if (Option.isNone(last) || last.value.metadata.uid !== before.metadata.uid || !isReached(last.value)) continue
    const done: Settled = { _tag: "Done", resourceVersion: last.value.metadata.resourceVersion }
    return done
  }
  const settled: Settled = { _tag: Option.isSome(last) && isUntouched(before, last.value) ? "NotDone" : "Unknown" }
  return settled
})

const isUntouched = ({ metadata: before }: KubeObject, { metadata: now }: KubeObject): boolean => {
  if (now.uid !== before.uid) return false
  if (now.resourceVersion === before.resourceVersion) return true
  const generation = generationOf(before)
  return generation !== undefined && generation === generationOf(now)
}

const generationOf = (metadata: object): number | undefined =>
  "generation" in metadata ? count(metadata.generation) : undefined
