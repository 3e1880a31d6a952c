/**
 * Creates pods from templates, and hashes templates.
 */
import { type Json, type JsonObject, isArray, isObject, objectAt } from "../core/Json.ts"

export interface PodParticulars {
  readonly name?: string
  readonly generateName?: string
  readonly labels?: JsonObject
  readonly annotations?: JsonObject
  readonly finalizers?: ReadonlyArray<string>
  readonly owner: JsonObject
}

/** Makes a pod from a template. */
export const podFrom = (template: JsonObject, particulars: PodParticulars): JsonObject => {
  const { annotations = {}, finalizers = [], labels = {}, owner, ...names } = particulars
  const metadata = objectAt(template, "metadata")
  const texts = (name: "labels" | "annotations", more: JsonObject): JsonObject => {
    const all = { ...objectAt(metadata, name), ...more }
    return Object.keys(all).length === 0 ? {} : { [name]: all }
  }
  const allFinalizers = [...(isArray(metadata["finalizers"]) ? metadata["finalizers"] : []), ...finalizers]
  return {
    metadata: {
      ...names,
      ...texts("labels", labels),
      ...texts("annotations", annotations),
      ...(allFinalizers.length === 0 ? {} : { finalizers: allFinalizers }),
      ownerReferences: [owner]
    },
    spec: objectAt(template, "spec")
  }
}

/** Prefix of the generated names of an owner's pods, short enough for the suffix. */
export const nameStem = (owner: string): string => `${owner.slice(0, LONGEST_STEM)}-`

const LONGEST_STEM = 57

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193
const LETTERS = "bcdfghjklmnpqrstvwxz2456789"

/**
 * Hashes a value to a short text of the letters in generated names.
 *
 * **Source** FNV-1a, 32 bits, as Kubernetes hashes templates. The input is sorted JSON, so the hashes differ from the
 * real ones.
 */
export const hashOf = (value: Json, collisions = 0): string => {
  const text = `${sorted(value)}${collisions === 0 ? "" : collisions}`
  let hash = OFFSET
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME) >>> 0
  return String(hash).replaceAll(/[0-9]/g, (digit) => LETTERS.charAt(digit.charCodeAt(0) % LETTERS.length))
}

/** Prints JSON with sorted keys. */
const sorted = (value: Json): string => {
  if (isArray(value)) return `[${value.map(sorted).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted(value[key] ?? null)}`).join(",")}}`
}
