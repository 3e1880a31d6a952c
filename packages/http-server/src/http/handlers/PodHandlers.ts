/**
 * `GET /api/v1/pods`.
 */
import { Pods } from "@quarterdeck/cluster-fanout/Pods"
import { Api } from "@quarterdeck/contract/Api"
import type { PodList } from "@quarterdeck/contract/PodsGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../ListPage.ts"
import * as ListRefusal from "../ListRefusal.ts"
import * as ListReply from "../ListReply.ts"
import * as RequestTarget from "../RequestTarget.ts"

export const PodHandlers = HttpApiBuilder.group(
  Api,
  "pods",
  Effect.fn(function* (handlers) {
    const pods = yield* Pods
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { labelSelector, name, namespace, node, status, workload, ...parameters } = query
        const principal = yield* Principal
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        yield* RequestTarget.noteNamespaces(namespace)
        const target = yield* RequestTarget.resolve()
        const { items, ...envelope } = yield* pods
          .list({
            target,
            namespaces: Rule.namespaceFilter(principal.rule),
            filter: {
              labelSelector: selector,
              ...(namespace === undefined ? {} : { namespace }),
              ...(name === undefined ? {} : { name }),
              ...(node === undefined ? {} : { node }),
              ...(status === undefined ? {} : { status }),
              ...(workload === undefined ? {} : { workload: ListPage.namedObject(workload) })
            },
            page,
            cursorBinding: principal.keyId
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        const list: PodList = { pods: items, ...envelope }
        return yield* ListReply.ofRows("pods", list)
      })
    )
  })
)
