/**
 * Context of a projection.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Interner } from "./Interner.ts"

/**
 * The cluster whose objects are projected, and the values that its objects share.
 *
 * **Shape** `accelerators` are the resources configured to count as GPUs. Live reads need no GPUs and omit
 * `accelerators`.
 */
export interface Place {
  readonly cluster: ClusterName
  readonly interner: Interner
  readonly accelerators?: ReadonlyArray<string>
}
