/**
 * `GET /api/v1/pods`.
 */
import { Pods } from "@quarterdeck/cluster-fanout/Pods"
import { Api } from "@quarterdeck/contract/Api"
import type { PodList } from "@quarterdeck/contract/PodsGroup"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"

export const PodHandlers = HttpApiBuilder.group(
  Api,
  "pods",
  Effect.fn(function* (handlers) {
    const pods = yield* Pods
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const {
          labelSelector,
          name: _name,
          namespace,
          node: _node,
          status: _status,
          workload: _workload,
          ...parameters
        } = query
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        yield* TargetResolution.noteNamespaces(namespace)
        const admitted = yield* TargetResolution.admit
        const { items, ...envelope } = yield* pods
          .list(ListQuestion.ofPods(query, selector, page, admitted))
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("pods", { pods: items, ...envelope } satisfies PodList)
      })
    )
  })
)
