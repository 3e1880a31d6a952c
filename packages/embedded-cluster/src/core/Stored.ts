/**
 * One object at one version, as the store keeps it.
 */
import type { Fields } from "./FieldSelector.ts"
import { arrayAt, isObject, type JsonObject, parse, put, textAt, textsAt } from "./Json.ts"
import { KeptText } from "./KeptText.ts"
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

/** Where the version of an object stands in its text, which is kept without it. */
const VERSION = '"resourceVersion":"'

/** One object at one version: what is asked of it often, and its JSON. **Limits** reading the JSON puts it together. */
export class Stored implements Facts {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly revision: number
  readonly labels: Labels
  readonly fields: Fields
  readonly owners: ReadonlyArray<string>
  readonly #text: KeptText

  private constructor(facts: Facts, revision: number, text: KeptText) {
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

  /** Makes what is kept of an object. **Shape** what its text has in common with that of one alike is kept once for both. */
  static of(resource: Resource, object: JsonObject, key: string, revision: number, like?: Stored): Stored {
    const text = printed(ordered(put(object, ["metadata", "resourceVersion"], "")))
    return new Stored(
      factsOf(resource, object, key),
      revision,
      KeptText.of(text, like === undefined ? undefined : like.#text)
    )
  }

  /** Its JSON without `kind` and `apiVersion`, `metadata` first. */
  get body(): string {
    const text = this.#text.toString()
    // `metadata` comes first, and in it only names and the uid come before the version: the first hit is the right one.
    const place = text.indexOf(VERSION) + VERSION.length
    return `${text.slice(0, place)}${this.revision}${text.slice(place)}`
  }

  /** The object as it is, under another version: what a watcher gets of an object that left. */
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

/** Puts `metadata` first and its identity first in it, the order of the real server's replies. */
const ordered = (object: JsonObject): JsonObject => {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
  if (!isObject(metadata)) return rest
  const head = FIRST.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]] as const]))
  return { metadata: { ...Object.fromEntries(head), ...metadata }, ...rest }
}

const BEGINNING = '{"metadata":'

/** Prints an object, `metadata` first: V8 puts keys that look like whole numbers, which a custom kind may have, before it. */
const printed = (object: JsonObject): string => {
  const text = JSON.stringify(object)
  if (text.startsWith(BEGINNING)) return text
  const { metadata, ...rest } = object
  return `${BEGINNING}${JSON.stringify(metadata)},${JSON.stringify(rest).slice(1)}`
}
