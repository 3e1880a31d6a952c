/**
 * Queries of clusters and namespaces.
 */
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"
import type { Coverage, Namespace } from "./Shapes.ts"

/** Maximum number of namespaces that a preview reads. */
const MAX_NAMESPACES = 20_000
const EVERY_CLUSTER = "*"
/** The API's maximum of rows on a page. */
const MAX_CLUSTERS = 5_000
const FRESH_EVERY_MS = 5_000

/** The clusters of a target, with the health of each. */
export const clustersQuery = (target: ClusterTarget.ClusterTarget) =>
  queryOptions({
    queryKey: ["clusters", ClusterTarget.keyOf(target)],
    queryFn: ({ signal }) =>
      call(
        (api) =>
          api.clusters.list({
            // Without the header the API lists every cluster, including the parent.
            headers: target._tag === "Named" ? ClusterTarget.headersOf(target) : {},
            query: { limit: MAX_CLUSTERS }
          }),
        signal
      ),
    select: ({ clusters, ...rest }) => ({
      ...rest,
      clusters: target._tag === "Parent" ? clusters.filter(({ role }) => role === "parent") : clusters
    }),
    refetchInterval: FRESH_EVERY_MS
  })

/** Namespaces of the key's scope. `isCut` is true if there are more than {@link MAX_NAMESPACES}. */
export interface NamespaceView {
  readonly namespaces: ReadonlyArray<Namespace>
  readonly clusters: ReadonlyArray<Coverage>
  readonly isCut: boolean
}

/** Every namespace in the caller's scope. */
export const namespacesQuery = queryOptions({
  queryKey: ["namespaces"],
  queryFn: async ({ signal }): Promise<NamespaceView> => {
    const namespaces: Array<Namespace> = []
    let cursor: string | undefined
    for (;;) {
      const query = { limit: 5_000, ...(cursor === undefined ? {} : { cursor }) }
      const headers = { "x-service-cluster": EVERY_CLUSTER }
      const page = await call((api) => api.namespaces.list({ headers, query }), signal)
      namespaces.push(...page.namespaces)
      cursor = page.nextCursor
      if (cursor === undefined || namespaces.length >= MAX_NAMESPACES) {
        return { namespaces, clusters: page.clusters, isCut: cursor !== undefined }
      }
    }
  },
  refetchInterval: 10_000
})
