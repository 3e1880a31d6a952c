/**
 * Makes rows from the events of a cluster.
 *
 * **Source** Kubernetes API, Event v1 core. Single events and events of older clients use other fields than a series.
 */
import { count, type Fields, fields, text } from "./Field.ts"
import * as Kind from "./Kind.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import { mask } from "../kube/Masking.ts"
import type { Place } from "./Place.ts"
import { UNKNOWN_TIME } from "./PodProjection.ts"
import type { EventRow } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"

/** A cached event. **Shape** `namespace` is that of the object that it is about; empty for a cluster-scoped object. */
export interface EventRecord {
  readonly uid: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly row: EventRow
}

const NO_LABELS = {}

/** Projects one event. **Shape** instants have milliseconds, so that their texts sort chronologically. */
export const eventRecord = (object: KubeObject, { cluster, interner }: Place): EventRecord => {
  const { metadata } = object
  const event: Fields = object
  const series = fields(event["series"])
  const about = fields(event["involvedObject"])
  const source = fields(event["source"])
  const shared = (value: unknown) => interner.text(RowLimit.word(text(value) ?? ""))
  const namespace = shared(about["namespace"])
  const createdAt = metadata.creationTimestamp ?? UNKNOWN_TIME
  const firstSeenAt = firstKnown([event["firstTimestamp"], event["eventTime"], createdAt])
  const id = RowLimit.word(text(about["uid"]) ?? "")
  const row: EventRow = {
    id: metadata.uid,
    cluster,
    namespace: namespace === "" ? null : namespace,
    regarding: {
      kind: shared(kindOf(about)),
      name: RowLimit.word(text(about["name"]) ?? ""),
      ...(id === "" ? {} : { id })
    },
    type: shared(event["type"]),
    reason: shared(event["reason"]),
    message: mask(text(event["message"]) ?? ""),
    count: Math.max(1, count(series["count"]) ?? count(event["count"]) ?? 1),
    firstSeenAt,
    lastSeenAt: firstKnown([series["lastObservedTime"], event["lastTimestamp"], event["eventTime"], firstSeenAt]),
    reportedBy: shared(event["reportingComponent"]) || shared(source["component"])
  }
  return { uid: metadata.uid, namespace, labels: NO_LABELS, row }
}

/** Returns the name of an object's kind. **Shape** reporters may omit the API version. */
const kindOf = (about: Fields): string => {
  const kind = text(about["kind"]) ?? ""
  const apiVersion = text(about["apiVersion"]) ?? ""
  return apiVersion === "" ? kind : Kind.nameOf(apiVersion, kind)
}

/** Returns the first valid instant. */
const firstKnown = (candidates: ReadonlyArray<unknown>): string => {
  for (const candidate of candidates) {
    const at = typeof candidate === "string" ? Date.parse(candidate) : Number.NaN
    if (!Number.isNaN(at)) return new Date(at).toISOString()
  }
  return UNKNOWN_TIME
}
