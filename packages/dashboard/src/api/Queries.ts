/**
 * What the pages read of the server, by what it is called.
 */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { call } from "./Client.ts"
import type { Coverage, Namespace } from "./Shapes.ts"

/** Rows of one reply; the rest is read when it is asked for. */
const PAGE = 500
/** A preview says so where a deployment has more. */
const MAX_NAMESPACES = 20_000
const EVERY_CLUSTER = "*"

export const apiKeysQuery = infiniteQueryOptions({
  queryKey: ["apiKeys"],
  queryFn: ({ pageParam, signal }) =>
    call(
      (api) => api.apiKeys.list({ query: { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) } }),
      signal
    ),
  initialPageParam: "",
  getNextPageParam: ({ nextCursor }) => nextCursor,
  refetchInterval: 15_000
})

/** **Shape** `isCut` when a deployment has more namespaces than a preview reads. */
export interface NamespaceView {
  readonly namespaces: ReadonlyArray<Namespace>
  readonly clusters: ReadonlyArray<Coverage>
  readonly isCut: boolean
}

/** Every namespace that the caller reaches, as it is now. */
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
