/**
 * `GET /api/v1/namespaces`.
 */
import { Namespaces } from "@quarterdeck/cluster-fanout/Namespaces"
import { Api } from "@quarterdeck/contract/Api"
import type { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"

export const NamespaceHandlers = HttpApiBuilder.group(
  Api,
  "namespaces",
  Effect.fn(function* (handlers) {
    const namespaces = yield* Namespaces
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { labelSelector, name, ...parameters } = query
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        const admitted = yield* TargetResolution.admit
        const { items, ...envelope } = yield* namespaces
          .list({
            ...ListQuestion.within(admitted),
            filter: { labelSelector: selector, ...(name === undefined ? {} : { name }) },
            page
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("namespaces", { namespaces: items, ...envelope } satisfies NamespaceList)
      })
    )
  })
)
