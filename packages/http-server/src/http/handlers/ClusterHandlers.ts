/**
 * `GET /api/v1/clusters`.
 */
import { Clusters } from "@quarterdeck/cluster-fanout/Clusters"
import { Api } from "@quarterdeck/contract/Api"
import type { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../ListPage.ts"
import * as ListRefusal from "../ListRefusal.ts"
import * as ListReply from "../ListReply.ts"
import * as RequestTarget from "../RequestTarget.ts"

export const ClusterHandlers = HttpApiBuilder.group(
  Api,
  "clusters",
  Effect.fn(function* (handlers) {
    const clusters = yield* Clusters
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const principal = yield* Principal
        const page = yield* ListPage.fromQuery(query, "name")
        const target = yield* RequestTarget.resolveClusters()
        const list: ClusterList = yield* clusters
          .list({
            target,
            namespaces: Rule.namespaceFilter(principal.rule),
            page,
            cursorBinding: principal.keyId
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofClusters(list)
      })
    )
  })
)
