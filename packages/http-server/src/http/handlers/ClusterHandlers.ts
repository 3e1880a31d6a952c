/**
 * `/api/v1/clusters` and `GET /api/v1/clusters/watch`.
 */
import { ClusterWatch } from "@quarterdeck/cluster-fanout/ClusterWatch"
import { Clusters } from "@quarterdeck/cluster-fanout/Clusters"
import type { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { Api } from "@quarterdeck/contract/Api"
import { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as PostedCluster from "./PostedCluster.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RegistrationRefusal from "../refusal/RegistrationRefusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
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

    /** The row of a cluster, as it is listed now. */
    const rowOf = Effect.fnUntraced(function* (name: ClusterName) {
      const { keyId, rule } = yield* Principal
      const page = yield* ListPage.fromQuery({}, "name")
      const target = yield* TargetResolution.resolveNamed(name)
      const { clusters: rows } = yield* clusters
        .list({
          target,
          scope: Rule.clusterScope(rule),
          namespaces: Rule.namespaceFilter(rule),
          page,
          cursorBinding: keyId
        })
        .pipe(Effect.catch(ListRefusal.fromError))
      return rows[0] ?? (yield* refuse("cluster_not_found", { detail: `${name} was dropped again`, field: "name" }))
    })

    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const principal = yield* Principal
          const page = yield* ListPage.fromQuery(query, "name")
          const target = yield* TargetResolution.resolveClusters()
          const list = yield* clusters
            .list({
              target,
              scope: Rule.clusterScope(principal.rule),
              namespaces: Rule.namespaceFilter(principal.rule),
              page,
              cursorBinding: principal.keyId
            })
            .pipe(Effect.catch(ListRefusal.fromError))
          return yield* ListReply.ofClusters(list)
        })
      )
      .handleRaw(
        "register",
        Effect.fnUntraced(function* () {
          const { keyId } = yield* Principal
          const body = yield* RequestBody.decode(RegisterCluster)
          const registration = yield* PostedCluster.read(body, addressRule)
          const isKubeconfig = body.kubeconfig !== undefined
          yield* registrar.register(registration, { by: keyId, isKubeconfig }).pipe(
            Effect.catch(RegistrationRefusal.fromError),
            Effect.tap(RequestRecord.note({ outcome: 201 })),
            // Whoever asked may leave: the audit tells what was done all the same.
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
              Effect.tap(RequestRecord.note({ outcome: 204 })),
              Effect.uninterruptible
            )
        })
      )
      .handle(
        "watch",
        Effect.fnUntraced(function* () {
          const watched = yield* WatchRequest.of(yield* TargetResolution.resolveClusters())
          return yield* openStream(identityOf, (sink) => watch.open(watched, sink))
        })
      )
  })
)

const identityOf = ({ name }: ClusterRow) => ({ name })
