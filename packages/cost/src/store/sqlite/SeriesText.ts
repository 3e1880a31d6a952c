/**
 * Encodes series for the transfer from the worker thread.
 */
import type { Series } from "../../hour/Series.ts"

/**
 * Encodes the series of keys as one JSON array, with `null` for an invalid key.
 *
 * One JSON string with named fields is fastest to decode, and causes the least garbage.
 */
export const print = (keys: ReadonlyArray<string>): string => JSON.stringify(keys.map((key) => seriesOf(key) ?? null))

/**
 * Decodes the output of {@link print}. Equal names and labels share one string, kept in `texts`: most series have names and
 * labels in common.
 */
export const parse = (text: string, texts: Map<string, string>): ReadonlyArray<Series | undefined> => {
  const read: unknown = JSON.parse(text)
  return isArray(read) ? read.map((one) => (isSeries(one) ? sharing(one, texts) : undefined)) : []
}

/** Replaces the strings of a series by shared ones. Changes the series in place, which is safe because it was just decoded. */
const sharing = (series: Read, texts: Map<string, string>): Series => {
  const { labels } = series
  series.namespace = kept(series.namespace, texts)
  series.kind = kept(series.kind, texts)
  series.name = kept(series.name, texts)
  for (const label in labels) {
    if (Object.hasOwn(labels, label)) labels[label] = kept(labels[label] ?? "", texts)
  }
  return series
}

const kept = (text: string, texts: Map<string, string>): string => {
  const before = texts.get(text)
  if (before !== undefined) return before
  texts.set(text, text)
  return text
}

/** A decoded series, still mutable. */
interface Read {
  namespace: string
  kind: string
  name: string
  uid: string
  labels: Record<string, string>
}

const isSeries = (value: unknown): value is Read =>
  typeof value === "object"
  && value !== null
  && "namespace" in value
  && typeof value.namespace === "string"
  && "kind" in value
  && typeof value.kind === "string"
  && "name" in value
  && typeof value.name === "string"
  && "uid" in value
  && typeof value.uid === "string"
  && "labels" in value
  && typeof value.labels === "object"
  && value.labels !== null

/** Decodes a key. Returns `undefined` for an invalid one. */
const seriesOf = (key: string): Series | undefined => {
  const read = parsed(key)
  if (!isArray(read)) return undefined
  const [namespace, kind, name, uid, labels] = read
  if (typeof namespace !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined
  if (typeof uid !== "string" || !isArray(labels) || !labels.every(isLabel)) return undefined
  return { namespace, kind, name, uid, labels: Object.fromEntries(labels) }
}

const isArray = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const isLabel = (value: unknown): value is [string, string] =>
  isArray(value) && value.length === 2 && value.every((one) => typeof one === "string")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
