/**
 * A kind of object that the server provides: its names, verbs and selectable fields.
 */
import { createHash } from "node:crypto"
import type { Column } from "./Column.ts"
import { at, type JsonObject, textAt } from "./Json.ts"

/** A part of a resource, such as `status`. **Shape** the kind of its body may differ from the resource's kind. */
export interface Subresource {
  readonly name: "status" | "scale" | "log" | "binding" | "eviction" | "finalize" | "token"
  readonly kind: string
  readonly groupVersion?: { readonly group: string; readonly version: string }
  readonly verbs: ReadonlyArray<string>
}

/** A field that `fieldSelector` may name, and how to read it from an object. */
export interface SelectableField {
  readonly name: string
  readonly read: (object: JsonObject) => string
}

export interface Resource {
  readonly group: string
  readonly version: string
  /** The plural name, as in paths and messages. */
  readonly resource: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly shortNames: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
  readonly subresources: ReadonlyArray<Subresource>
  /** Selectable fields, in addition to `metadata.name` and `metadata.namespace`. */
  readonly fields: ReadonlyArray<SelectableField>
  /** If true, `metadata.generation` counts changes of `spec`. */
  readonly generation: boolean
  /** If true, a deletion answers with the object; otherwise with a Status. */
  readonly returnsDeleted: boolean
  /** The version in which a server stores the kind, if it is not `version`. Discovery shows a digest of it. */
  readonly storedIn?: string
  /** Name of the store's collection. All versions of a kind share one. */
  readonly storage: string
  /** Details of a custom kind; absent for a built-in kind. */
  readonly custom?: CustomKind
}

/** Paths of the scale's values in an object. **Shape** lists of keys. */
export interface ScalePaths {
  readonly spec: ReadonlyArray<string>
  readonly status: ReadonlyArray<string>
  readonly selector: ReadonlyArray<string> | undefined
}

export interface CustomKind {
  /** Name of the definition, `widgets.shop.example.com`. */
  readonly definition: string
  readonly listKind: string
  /** Structural schema of this version, as the definition has it. */
  readonly schema: JsonObject
  /** The schema, completed with the type and metadata that every object has. */
  readonly root: JsonObject
  readonly columns: ReadonlyArray<Column>
  readonly scale: ScalePaths | undefined
  /** Selectable fields of all of the kind's versions. The store keeps their values beside each object. */
  readonly indexed: ReadonlyArray<SelectableField>
  /** The stored version, if its schema differs from this version's schema. */
  readonly stored: Resource | undefined
  /** The definition is being deleted with its objects, so new objects are refused. */
  readonly terminating: boolean
  /** Warning for clients of a deprecated version. */
  readonly deprecation: string | undefined
}

export const apiVersionOf = (resource: { readonly group: string; readonly version: string }): string =>
  resource.group === "" ? resource.version : `${resource.group}/${resource.version}`

export const listKindOf = (resource: Resource): string => resource.custom?.listKind ?? `${resource.kind}List`

/** Name of the store's collection for a resource, whatever its version. */
export const storageOf = (group: string, resource: string): string => `${group}/${resource}`

/** Digest of the version in which a kind is stored. Clients compare it between servers. */
export const storageHash = ({ group, kind, storedIn, version }: Resource): string =>
  createHash("sha256")
    .update(`${group}/${storedIn ?? version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64")

export const hasStatus = (resource: Resource): boolean => resource.subresources.some((sub) => sub.name === "status")

export const isStored = (resource: Resource): boolean => resource.verbs.includes("get")

/** Reads a field as selectors compare it: a text, number or boolean, printed. */
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

/** The `source` field of an event, which its object keeps in one of two places. */
export const eventSource: SelectableField = {
  name: "source",
  read: (event) => textAt(event, "source", "component") || textAt(event, "reportingComponent")
}
