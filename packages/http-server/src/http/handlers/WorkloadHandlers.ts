/**
 * `GET /api/v1/workloads`, `GET /api/v1/workloads/watch` and `POST /api/v1/workloads/actions`.
 */
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { WorkloadWatch } from "@quarterdeck/cluster-fanout/WorkloadWatch"
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { Api } from "@quarterdeck/contract/Api"
import type { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as BulkAction from "../actions/BulkAction.ts"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"
import * as EventStream from "../stream/EventStream.ts"
import * as WatchRequest from "../stream/WatchRequest.ts"

export const WorkloadHandlers = HttpApiBuilder.group(
  Api,
  "workloads",
  Effect.fn(function* (handlers) {
    const workloads = yield* Workloads
    const act = yield* BulkAction.make
    const watch = yield* WorkloadWatch
    const openStream = yield* EventStream.make
    const list = handlers.handleRaw("act", act).handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { kind: _kind, labelSelector, name: _name, namespace, status: _status, ...parameters } = query
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        yield* TargetResolution.noteNamespaces(namespace)
        const admitted = yield* TargetResolution.admit
        const { items, ...envelope } = yield* workloads
          .list(ListQuestion.ofWorkloads(query, selector, page, admitted))
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("workloads", { workloads: items, ...envelope } satisfies WorkloadList)
      })
    )
    return list.handle(
      "watch",
      Effect.fnUntraced(function* ({ query }) {
        const selector = yield* ListPage.labelSelectorOf(query.labelSelector)
        yield* TargetResolution.noteNamespaces(query.namespace)
        const admitted = yield* TargetResolution.admit
        const watched = { ...(yield* WatchRequest.of(admitted)), filter: ListQuestion.workloadFilter(query, selector) }
        return yield* openStream(identityOf, (sink) =>
          watch.open(watched, sink).pipe(Effect.catch(ListRefusal.fromError))
        )
      })
    )
  })
)

const identityOf = ({ cluster, id, kind, name, namespace }: WorkloadRow) => ({ id, cluster, kind, namespace, name })
