/**
 * A kind of object that the server serves: its names, its verbs and what can be selected by.
 */
import { createHash } from "node:crypto"
import type { Column } from "./Column.ts"
import { at, type JsonObject, textAt } from "./Json.ts"

/**
 * What stands behind a resource name after a slash. **Shape** `kind` and its group differ from the resource's own for
 * some.
 */
export interface Subresource {
  readonly name: "status" | "scale" | "log" | "binding" | "eviction" | "finalize" | "token"
  readonly kind: string
  readonly groupVersion?: { readonly group: string; readonly version: string }
  readonly verbs: ReadonlyArray<string>
}

/** A field that `fieldSelector` may name, and how an object shows it. */
export interface SelectableField {
  readonly name: string
  readonly read: (object: JsonObject) => string
}

export interface Resource {
  readonly group: string
  readonly version: string
  /** The plural in the path; messages say it too. */
  readonly resource: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
  readonly subresources: ReadonlyArray<Subresource>
  /** Beyond `metadata.name` and `metadata.namespace`. */
  readonly fields: ReadonlyArray<SelectableField>
  /** Whether `metadata.generation` counts changes of `spec`. */
  readonly generation: boolean
  /** Whether a deletion answers with the object, as some kinds do, or with a Status. */
  readonly returnsDeleted: boolean
  /** The version in which a server stores it, where that is another one; discovery shows a digest of it. */
  readonly storedIn?: string
  /** Where its objects are kept; all versions of a kind keep them in one place. */
  readonly storage: string
  /** What a definition says of a kind that is not built in. */
  readonly custom?: CustomKind
}

/** Where an object keeps what its scale shows. **Shape** paths of keys. */
export interface ScalePaths {
  readonly spec: ReadonlyArray<string>
  readonly status: ReadonlyArray<string>
  readonly selector: ReadonlyArray<string> | undefined
}

export interface CustomKind {
  /** The name of the definition, `widgets.shop.example.com`. */
  readonly definition: string
  readonly listKind: string
  /** The structural schema of this version, as the definition has it. */
  readonly schema: JsonObject
  /** The schema with what every object has beside it: its type and its metadata. */
  readonly root: JsonObject
  readonly columns: ReadonlyArray<Column>
  readonly scale: ScalePaths | undefined
  /** What any of the kind's versions can be selected by: the store keeps them all beside an object. */
  readonly indexed: ReadonlyArray<SelectableField>
  /** The version in which objects are stored, where it has another schema than this one. */
  readonly stored: Resource | undefined
  /** Whether the definition is going, and its objects with it: then no more are made. */
  readonly terminating: boolean
  /** What clients of this version are warned of. */
  readonly deprecation: string | undefined
}

export const apiVersionOf = (resource: { readonly group: string; readonly version: string }): string =>
  resource.group === "" ? resource.version : `${resource.group}/${resource.version}`

export const listKindOf = (resource: Resource): string => resource.custom?.listKind ?? `${resource.kind}List`

/** The place where the objects of a resource are kept, whatever the version. */
export const storageOf = (group: string, resource: string): string => `${group}/${resource}`

/** A digest of the version in which a kind is stored, by which clients see that two servers store it alike. */
export const storageHash = ({ group, kind, storedIn, version }: Resource): string =>
  createHash("sha256")
    .update(`${group}/${storedIn ?? version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64")

export const hasStatus = (resource: Resource): boolean => resource.subresources.some((sub) => sub.name === "status")

export const isStored = (resource: Resource): boolean => resource.verbs.includes("get")

/** Reads a field as a selector sees it: text, and `true` or `false` for a condition. */
export const field = (name: string, fallback = ""): SelectableField => {
  const path = name.split(".")
  return {
    name,
    read: (object) => {
      const value = at(object, ...path)
      if (typeof value === "boolean" || typeof value === "number") return String(value)
      return typeof value === "string" && value !== "" ? value : fallback
    }
  }
}

/** The field of an event that is either of its two ways to name the reporter. */
export const eventSource: SelectableField = {
  name: "source",
  read: (event) => textAt(event, "source", "component") || textAt(event, "reportingComponent")
}
