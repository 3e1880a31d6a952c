/**
 * Where a projection happens.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Interner } from "./Interner.ts"

/** The cluster whose objects are projected, and the texts that they share. */
export interface Place {
  readonly cluster: ClusterName
  readonly interner: Interner
}
