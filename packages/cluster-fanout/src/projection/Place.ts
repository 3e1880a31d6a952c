/**
 * Where a projection happens.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Interner } from "./Interner.ts"

/**
 * The cluster whose objects are projected, and the texts that they share.
 *
 * **Shape** `accelerators` are the resources that count as GPUs by a setting; a list that needs no GPUs leaves them out.
 */
export interface Place {
  readonly cluster: ClusterName
  readonly interner: Interner
  readonly accelerators?: ReadonlyArray<string>
}
