/**
 * Registers clusters at run time after a test connection, and drops them.
 */
import { type ClusterError, type PostedConnection, RegisteredClusters } from "@quarterdeck/cluster-fanout"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Semaphore } from "effect"
import {
  ClusterConfigured,
  ClusterExists,
  ClusterRefused,
  ClusterUnknown,
  type TooManyClusters
} from "./RegistrationError.ts"
import { Registrations } from "./Registrations.ts"

/** Timeout of each of the two test requests. */
const ANSWER_MS = 5_000
/** Maximum concurrent test connections. */
const LANES = 4

/** The resource that the service must be allowed to list. */
const NAMESPACES = {
  resource: { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false }
}

export class ClusterRegistrar extends Context.Service<
  ClusterRegistrar,
  {
    /**
     * Registers a cluster if a test connection succeeds.
     *
     * **Shape** with `isKubeconfig`, the client sent a kubeconfig, and errors name that field.
     *
     * **Errors** leave nothing registered. **Limits** two test requests of 5 s each; four clusters at once.
     */
    readonly register: (
      registration: RegisteredClusters.Registration,
      options: { readonly by: string; readonly isKubeconfig: boolean }
    ) => Effect.Effect<void, ClusterExists | ClusterRefused | TooManyClusters | KeyStoreError>
    /** Drops a cluster that was registered at run time. */
    readonly drop: (name: ClusterName) => Effect.Effect<void, ClusterConfigured | ClusterUnknown | KeyStoreError>
  }
>()("@quarterdeck/http-server/services/ClusterRegistrar") {
  static readonly layer = Layer.effect(
    ClusterRegistrar,
    Effect.gen(function* () {
      const api = yield* KubeApi
      const registrations = yield* Registrations
      const registry = yield* ClusterRegistry
      const lanes = yield* Semaphore.make(LANES)

      const isShown = (name: ClusterName) =>
        Effect.map(registry.snapshot, ({ clusters }) => clusters.some((cluster) => cluster.name === name))

      const register = Effect.fn("ClusterRegistrar.register")(function* (
        registration: RegisteredClusters.Registration,
        { by, isKubeconfig }: { readonly by: string; readonly isKubeconfig: boolean }
      ) {
        const { name } = registration
        if ((yield* isShown(name)) || (yield* registrations.has(name))) return yield* new ClusterExists({ name })
        const cluster = RegisteredClusters.clusterOf(registration)
        yield* Effect.andThen(api.version(cluster, ANSWER_MS), api.probe(cluster, NAMESPACES, ANSWER_MS)).pipe(
          (answered) => lanes.withPermit(answered),
          Effect.mapError(({ reason }) => {
            const field = isKubeconfig ? "kubeconfig" : fieldOf(reason)
            return new ClusterRefused({ field, problem: `the cluster ${reason.message}` })
          })
        )
        yield* registrations.add(registration, by)
      })

      const drop = Effect.fn("ClusterRegistrar.drop")(function* (name: ClusterName) {
        if (yield* registrations.remove(name)) return
        return yield* (yield* isShown(name)) ? new ClusterConfigured({ name }) : new ClusterUnknown({ name })
      })

      return ClusterRegistrar.of({ register, drop })
    })
  )
}

/** Returns the connection field that caused a cluster error. */
const fieldOf = (reason: ClusterError.ClusterError["reason"]): PostedConnection.PostedFault["field"] => {
  switch (reason._tag) {
    case "ClusterUnauthorized":
    case "ClusterForbids":
      return "token"
    // A posted token is always available, so the unavailable credential is an invalid CA certificate.
    case "ClusterCredentialUnavailable":
    case "ClusterCertificateInvalid":
      return "caData"
    default:
      return "server"
  }
}
