/**
 * The request of a watch.
 */
import type { NamespaceFilter } from "@quarterdeck/targeting/NamespaceFilter"
import type { ClusterScope, Target } from "@quarterdeck/targeting/Target"

/**
 * Requests the rows of a target and their changes.
 *
 * **Shape** `namespaces` and `clusters` limit the key's access. A target of all clusters includes clusters that are
 * registered later. `binding` identifies the key and its rule. `lastEventId` is the last id that the reader received,
 * from this watch or another.
 */
export interface WatchQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter
  readonly clusters: ClusterScope
  readonly binding: string
  readonly lastEventId: string | undefined
  /** Time for which `Ready` waits for clusters that have not answered, in milliseconds. */
  readonly timeoutMs: number
}
