/**
 * What somebody wants to follow, and on whose behalf.
 */
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import type { ClusterScope, Target } from "@quarterdeck/targeting/Target"

/**
 * Asks to follow the rows of a target. `namespaces` and `clusters` are what the key reaches: a target of all clusters
 * takes in those that come later. `binding` names the key and its rule. `lastEventId` is the last id that the reader
 * was told, of this watch or another.
 */
export interface WatchQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter
  readonly clusters: ClusterScope
  readonly binding: string
  readonly lastEventId: string | undefined
  /** How long the first set waits for clusters, in milliseconds. */
  readonly timeoutMs: number
}
