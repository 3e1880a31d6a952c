/**
 * Size limits of row fields that a cluster provides.
 *
 * The cache keeps all labels, because selectors, cost groups and rules read them. Only replies show fewer.
 */
import * as TextLimit from "../kube/TextLimit.ts"
import { compareText } from "./RowOrder.ts"

type Labels = Readonly<Record<string, string>>

export const MOST_LABELS = 64
/** Size of all shown keys and values together. **Units** UTF-8 bytes. */
export const LABEL_BYTES = 8_192
export const MOST_IMAGES = 32
/** Image reference: registry, repository, tag and digest. **Units** UTF-8 bytes. */
const IMAGE_BYTES = 1_024
/** A kind, reason, phase or name whose length the API server does not limit. **Units** UTF-8 bytes. */
const WORD_BYTES = 256

/** A row with limited labels. */
export type Limited<Row> = Row & { readonly labelsTruncated?: boolean }

/** Shortens a word to its limit. */
export const word = (text: string): string => TextLimit.cut(text, WORD_BYTES)

/** Returns the first 32 distinct images, each cut to 1 KiB. */
export const images = (found: ReadonlyArray<string>): ReadonlyArray<string> => {
  const distinct = found.length > 1 ? [...new Set(found)] : found
  return distinct.slice(0, MOST_IMAGES).map((image) => TextLimit.cut(image, IMAGE_BYTES))
}

/**
 * Returns the row itself if its labels are within the limits. Otherwise returns a copy with fewer labels and
 * `labelsTruncated`.
 *
 * **Shape** labels that name an application come first, then the others by key in byte order. A label that does not fit
 * is left out; smaller ones after it may still fit. The copy lists its labels by key.
 *
 * **Limits** linear in the labels, apart from sorting the labels of rows over the limits.
 */
export const limited = <Row extends object>(row: Row): Limited<Row> => {
  const labels = labelsOf(row)
  if (labels === undefined || isWithin(labels)) return row
  return { ...row, labels: shownOf(labels), labelsTruncated: true }
}

const labelsOf = (row: object): Labels | undefined => ("labels" in row && isLabels(row.labels) ? row.labels : undefined)

const isLabels = (value: unknown): value is Labels => typeof value === "object" && value !== null

/** Returns whether labels are within the limits. Seldom counts bytes: a UTF-16 unit has at most 3 bytes in UTF-8. */
const isWithin = (labels: Labels): boolean => {
  let count = 0
  let units = 0
  for (const key in labels) {
    count++
    units += key.length + (labels[key]?.length ?? 0)
    if (count > MOST_LABELS || units > LABEL_BYTES) return false
  }
  return (
    units * 3 <= LABEL_BYTES || Object.entries(labels).reduce((sum, label) => sum + bytesOf(label), 0) <= LABEL_BYTES
  )
}

const bytesOf = ([key, value]: readonly [string, string]): number => Buffer.byteLength(key) + Buffer.byteLength(value)

/**
 * Returns whether a label names an application. **Source** Kubernetes, "Recommended Labels", and the two older names
 * that most manifests use.
 */
const isApplication = (key: string): boolean =>
  key.startsWith("app.kubernetes.io/") || key === "app" || key === "k8s-app"

const shownOf = (labels: Labels): Labels => {
  const keys = Object.keys(labels).toSorted(compareText)
  const selected: Array<readonly [string, string]> = []
  let left = LABEL_BYTES
  for (const key of [...keys.filter(isApplication), ...keys.filter((other) => !isApplication(other))]) {
    if (selected.length === MOST_LABELS) break
    const label = [key, labels[key] ?? ""] as const
    // Skips encoding a label that cannot fit anyway.
    if (key.length + label[1].length > left) continue
    const bytes = bytesOf(label)
    if (bytes > left) continue
    left -= bytes
    selected.push(label)
  }
  return Object.fromEntries(selected.toSorted(([left], [right]) => compareText(left, right)))
}
