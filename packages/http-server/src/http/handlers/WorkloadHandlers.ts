/**
 * `GET /api/v1/workloads` and `POST /api/v1/workloads/actions`.
 */
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { Api } from "@quarterdeck/contract/Api"
import type { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as BulkAction from "../BulkAction.ts"
import * as ListPage from "../ListPage.ts"
import * as ListRefusal from "../ListRefusal.ts"
import * as ListReply from "../ListReply.ts"
import * as RequestTarget from "../RequestTarget.ts"

export const WorkloadHandlers = HttpApiBuilder.group(
  Api,
  "workloads",
  Effect.fn(function* (handlers) {
    const workloads = yield* Workloads
    const act = yield* BulkAction.make
    return handlers.handleRaw("act", act).handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { kind, labelSelector, name, namespace, ...parameters } = query
        const principal = yield* Principal
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        yield* RequestTarget.noteNamespaces(namespace)
        const target = yield* RequestTarget.resolve()
        const { items, ...envelope } = yield* workloads
          .list({
            target,
            namespaces: Rule.namespaceFilter(principal.rule),
            filter: {
              labelSelector: selector,
              ...(namespace === undefined ? {} : { namespace }),
              ...(kind === undefined ? {} : { kind }),
              ...(name === undefined ? {} : { name })
            },
            page,
            cursorBinding: principal.keyId
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        const list: WorkloadList = { workloads: items, ...envelope }
        return yield* ListReply.ofRows("workloads", list)
      })
    )
  })
)
