/**
 * `/api/v1/clusters` and `GET /api/v1/clusters/watch`.
 */
import { ClusterWatch } from "@quarterdeck/cluster-fanout/ClusterWatch"
import { Clusters } from "@quarterdeck/cluster-fanout/Clusters"
import type { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { Api } from "@quarterdeck/contract/Api"
import { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import * as Rule from "@quarterdeck/keys/Rule"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as PostedCluster from "./PostedCluster.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RegistrationRefusal from "../refusal/RegistrationRefusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as DetachedOutcome from "../audit/DetachedOutcome.ts"
import * as ResolvedRequest from "../guard/ResolvedRequest.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"
import { ClusterRegistrar } from "../../services/ClusterRegistrar.ts"
import { Registrations } from "../../services/Registrations.ts"
import * as EventStream from "../stream/EventStream.ts"
import * as WatchRequest from "../stream/WatchRequest.ts"

export const ClusterHandlers = HttpApiBuilder.group(
  Api,
  "clusters",
  Effect.fn(function* (handlers) {
    const clusters = yield* Clusters
    const watch = yield* ClusterWatch
    const openStream = yield* EventStream.make
    const registrar = yield* ClusterRegistrar
    const { addressRule } = yield* Registrations

    /** Lists the one row of a cluster. */
    const rowOf = Effect.fnUntraced(function* (name: ClusterName) {
      const page = yield* ListPage.fromQuery({}, "name")
      // The cluster was not registered yet when the guard resolved the request.
      const target = yield* TargetResolution.admitNamed(name)
      const { principal } = yield* ResolvedRequest.current
      const { clusters: rows } = yield* clusters
        .list({ ...ListQuestion.within({ principal, target }), scope: Rule.clusterScope(principal.rule), page })
        .pipe(Effect.catch(ListRefusal.fromError))
      return (
        rows[0]
        ?? (yield* refuse("cluster_not_found", {
          detail: `cluster ${name} was removed right after its registration`,
          field: "name"
        }))
      )
    })

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const page = yield* ListPage.fromQuery(query, "name")
          const admitted = yield* TargetResolution.admit
          const list = yield* clusters
            .list({ ...ListQuestion.within(admitted), scope: Rule.clusterScope(admitted.principal.rule), page })
            .pipe(Effect.catch(ListRefusal.fromError))
          return yield* ListReply.ofClusters(list)
        })
      )
      .handleRaw(
        "register",
        Effect.fnUntraced(function* () {
          const { keyId } = (yield* ResolvedRequest.current).principal
          const body = yield* RequestBody.decode(RegisterCluster)
          const registration = yield* PostedCluster.read(body, addressRule)
          const isKubeconfig = body.kubeconfig !== undefined
          yield* registrar.register(registration, { by: keyId, isKubeconfig }).pipe(
            Effect.catch(RegistrationRefusal.fromError),
            Effect.tap(DetachedOutcome.settle(201)),
            // If the client disconnects, the registration still completes and the audit has its outcome.
            Effect.uninterruptible
          )
          return { cluster: RowLimit.limited(yield* rowOf(body.name)) }
        })
      )
      .handle(
        "drop",
        Effect.fnUntraced(function* ({ params: { name } }) {
          yield* TargetResolution.requireHeaderOf(name)
          yield* TargetResolution.noteCluster(name)
          yield* registrar
            .drop(name)
            .pipe(
              Effect.catch(RegistrationRefusal.fromError),
              Effect.tap(DetachedOutcome.settle(204)),
              Effect.uninterruptible
            )
        })
      )
      .handle(
        "watch",
        Effect.fnUntraced(function* () {
          const watched = yield* WatchRequest.of(yield* TargetResolution.admit)
          return yield* openStream(identityOf, (sink) => watch.open(watched, sink))
        })
      )
  })
)

const identityOf = ({ name }: ClusterRow) => ({ name })
