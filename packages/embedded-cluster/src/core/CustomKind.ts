/**
 * What a definition says of a kind that is not built in.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "./Json.ts"
import type { Resource, SelectableField } from "./Resource.ts"
import type { Column } from "../forms/TableCells.ts"

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
