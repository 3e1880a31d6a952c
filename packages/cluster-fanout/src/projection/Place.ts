/**
 * Where a projection happens.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Interner } from "./Interner.ts"

/** **Shape** whose objects they are, and the texts that they share. */
export interface Place {
  readonly cluster: ClusterName
  readonly interner: Interner
}
