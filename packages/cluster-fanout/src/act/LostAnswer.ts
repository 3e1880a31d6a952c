/**
 * Finds out what became of a change whose answer was lost: by reading, never by changing again.
 */
import { Effect, Option } from "effect"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { count } from "../projection/Field.ts"

/** What no connection was made for was not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** Tells whether a change may have been made though it failed. */
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
 * What became of a change whose answer was lost.
 *
 * **Shape** `Done`: it is as it was wanted. `NotDone`: it is as it was.
 */
export type Settled =
  | { readonly _tag: "Done"; readonly resourceVersion: string }
  | { readonly _tag: "NotDone" }
  | { readonly _tag: "Unknown" }

/**
 * Waits before each reading, in milliseconds: what the server still had in hand when the connection broke is done by
 * the last.
 */
const WAITS_MS = [0, 250, 1_000, 2_000] as const

interface Expected {
  readonly before: KubeObject
  readonly isReached: (object: KubeObject) => boolean
}

/**
 * Reads until the change shows, or has had its time to.
 *
 * **Shape** `reading` gives none where the object is gone or cannot be read. One that was made anew under the name tells
 * nothing of the change. A resource version, or a generation, that is
 * still the one before proves that nothing was changed: of another spec nobody can tell whose it is.
 *
 * **Limits** four readings in 3.25 seconds, and what they take.
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
