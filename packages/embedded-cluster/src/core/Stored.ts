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

  /** Makes what is kept of an object. **Shape** what it has in common with one that is alike is kept once for both. */
  static of(resource: Resource, object: JsonObject, key: string, revision: number, like?: Stored): Stored {
    const facts = factsOf(resource, object, key)
    const text = printed(ordered(put(object, ["metadata", "resourceVersion"], "")))
    return like === undefined
      ? new Stored(facts, revision, KeptText.of(text))
      : new Stored(sharing(facts, like), revision, KeptText.of(text, like.#text))
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

/** The same, with the texts of one that is alike in place of equal ones. */
const sharing = (facts: Facts, like: Facts): Facts => ({
  key: shared(facts.key, like.key),
  namespace: shared(facts.namespace, like.namespace),
  name: shared(facts.name, like.name),
  uid: shared(facts.uid, like.uid),
  labels: sharedTexts(facts.labels, like.labels),
  fields: sharedTexts(facts.fields, like.fields),
  owners: facts.owners.join() === like.owners.join() ? like.owners : facts.owners
})

const shared = (text: string, like: string): string => (text === like ? like : text)

const sharedTexts = <Texts extends Labels | Fields>(texts: Texts, like: Texts): Texts =>
  Object.keys(texts).length === Object.keys(like).length
  && Object.entries(texts).every(([name, text]) => like[name] === text)
    ? like
    : texts

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
