/**
 * `GET /api/v1/namespaces`.
 */
import { Namespaces } from "@quarterdeck/cluster-fanout/Namespaces"
import { Api } from "@quarterdeck/contract/Api"
import type { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
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
        const principal = yield* Principal
        const page = yield* ListPage.fromQuery(parameters, "name")
        const selector = yield* ListPage.labelSelectorOf(labelSelector)
        const target = yield* TargetResolution.resolve()
        const { items, ...envelope } = yield* namespaces
          .list({
            target,
            namespaces: Rule.namespaceFilter(principal.rule),
            filter: { labelSelector: selector, ...(name === undefined ? {} : { name }) },
            page,
            cursorBinding: principal.keyId
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("namespaces", { namespaces: items, ...envelope } satisfies NamespaceList)
      })
    )
  })
)
