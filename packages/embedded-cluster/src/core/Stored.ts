/**
 * One object at one version, in the form that the store keeps.
 */
import type { Fields } from "./FieldSelector.ts"
import { arrayAt, isObject, type JsonObject, parse, put, textAt, textsAt } from "./Json.ts"
import { OffHeapText } from "./OffHeapText.ts"
import type { Labels } from "./LabelSelector.ts"
import type { Resource } from "./Resource.ts"

export const keyOf = (namespace: string, name: string): string => (namespace === "" ? name : `${namespace}/${name}`)

interface Facts {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Labels
  readonly fields: Fields
  readonly owners: ReadonlyArray<string>
}

/** Position of the resource version in an object's text. The text itself is stored without the version. */
const VERSION = '"resourceVersion":"'

/** One object at one version: its indexed facts, and its JSON text. **Limits** reading the JSON assembles the text. */
export class Stored implements Facts {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly revision: number
  readonly labels: Labels
  readonly fields: Fields
  readonly owners: ReadonlyArray<string>
  readonly #text: OffHeapText

  private constructor(facts: Facts, revision: number, text: OffHeapText) {
    this.key = facts.key
    this.namespace = facts.namespace
    this.name = facts.name
    this.uid = facts.uid
    this.revision = revision
    this.labels = facts.labels
    this.fields = facts.fields
    this.owners = facts.owners
    this.#text = text
  }

  /**
   * Makes the stored form of an object. **Shape** the parts of its text that equal the text of `like` are stored once
   * for both.
   */
  static of(resource: Resource, object: JsonObject, key: string, revision: number, like?: Stored): Stored {
    const text = printed(ordered(put(object, ["metadata", "resourceVersion"], "")))
    return new Stored(
      factsOf(resource, object, key),
      revision,
      OffHeapText.of(text, like === undefined ? undefined : like.#text)
    )
  }

  /** JSON of the object without `kind` and `apiVersion`, `metadata` first. */
  get body(): string {
    const text = this.#text.toString()
    // Only `metadata` with names and the uid precedes the version, so the first match is the right one.
    const place = text.indexOf(VERSION) + VERSION.length
    return `${text.slice(0, place)}${this.revision}${text.slice(place)}`
  }

  /** The same object under another version. A watch shows this form of an object that left its selector. */
  at(revision: number): Stored {
    return new Stored(this, revision, this.#text)
  }
}

export const read = (stored: Stored): JsonObject => {
  const value = parse(stored.body)
  return isObject(value) ? value : {}
}

const factsOf = (resource: Resource, object: JsonObject, key: string): Facts => {
  const name = textAt(object, "metadata", "name")
  const namespace = textAt(object, "metadata", "namespace")
  return {
    key,
    namespace,
    name,
    uid: textAt(object, "metadata", "uid"),
    labels: textsAt(object, "metadata", "labels"),
    fields: {
      "metadata.name": name,
      "metadata.namespace": namespace,
      ...Object.fromEntries(
        (resource.custom?.indexed ?? resource.fields).map((field) => [field.name, field.read(object)])
      )
    },
    owners: arrayAt(object, "metadata", "ownerReferences").map((owner) => textAt(owner, "uid"))
  }
}

const FIRST = ["name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"]

/** Puts `metadata` first, and the identity first in it, as in the real server's replies. */
const ordered = (object: JsonObject): JsonObject => {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
  if (!isObject(metadata)) return rest
  const head = FIRST.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]] as const]))
  return { metadata: { ...Object.fromEntries(head), ...metadata }, ...rest }
}

const BEGINNING = '{"metadata":'

/**
 * Prints an object, `metadata` first. V8 prints keys that look like integers before all others, and custom kinds may
 * have such keys.
 */
const printed = (object: JsonObject): string => {
  const text = JSON.stringify(object)
  if (text.startsWith(BEGINNING)) return text
  const { metadata, ...rest } = object
  return `${BEGINNING}${JSON.stringify(metadata)},${JSON.stringify(rest).slice(1)}`
}
