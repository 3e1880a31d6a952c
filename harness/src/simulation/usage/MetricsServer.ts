/** Serves `metrics.k8s.io` from this process, in place of metrics-server. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import { isIP } from "node:net"
import { Clock, Effect, Redacted, type Scope } from "effect"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import { issue } from "@quarterdeck/embedded-cluster/ServerCertificate"
import { eventually, type NotYet } from "../../machine/Eventually.ts"
import type { ApiError } from "../../client/ApiError.ts"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import { type KubeObject, refOf } from "../../client/KubeObject.ts"
import * as Endpoint from "./Endpoint.ts"
import { answer, GROUP, type MetricsSource, VERSION } from "./MetricsApi.ts"

const NAMESPACE = "kube-system"
const SERVICE = "quarterdeck-metrics"
const API_SERVICE = `${VERSION}.${GROUP}`
/** Name under which an API server on this machine reaches this process. */
export const LOCAL = "localhost"
/** An API server that finds the service unavailable retries after 5, 10 and 20 s. */
const AVAILABLE_WITHIN = "90 seconds"

/**
 * Listens on a free port and returns its number. If `reachedAt` is `localhost`, listens on 127.0.0.1. If it is an
 * address, listens on that address. For any other name, listens on every address.
 */
export const listen = (source: MetricsSource, reachedAt: string): Effect.Effect<number, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const { certificatePem, keyPem } = yield* issue("metrics")
    return yield* Endpoint.listen(
      (onRequest) => createServer({ cert: certificatePem, key: Redacted.value(keyPem) }, onRequest),
      (request, response) => respond(source, request, response),
      addressFor(reachedAt)
    )
  })

const addressFor = (reachedAt: string): string => {
  if (reachedAt === LOCAL) return "127.0.0.1"
  return isIP(reachedAt) === 0 ? "0.0.0.0" : reachedAt
}

const respond = Effect.fnUntraced(function* (
  source: MetricsSource,
  request: IncomingMessage,
  response: ServerResponse
) {
  const url = new URL(request.url ?? "/", "https://localhost")
  const { body, status } = answer(source, request.method ?? "GET", url, yield* Clock.currentTimeMillis)
  const text = JSON.stringify(body)
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
})

/**
 * Registers a port of this machine as the cluster's `metrics.k8s.io` until the scope closes.
 *
 * It creates an ExternalName Service for `reachedAt` and an APIService without CA verification. An existing
 * registration is replaced, and not restored afterwards.
 *
 * **Errors** `NotYet` if the API does not become available within 90 s.
 */
export const register = (
  api: ClusterApi,
  port: number,
  reachedAt: string
): Effect.Effect<void, ApiError | NotYet, Scope.Scope> =>
  Effect.gen(function* () {
    yield* applyScoped(api, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: SERVICE, namespace: NAMESPACE },
      spec: { type: "ExternalName", externalName: reachedAt }
    })
    yield* applyScoped(api, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: API_SERVICE },
      spec: {
        group: GROUP,
        version: VERSION,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace: NAMESPACE, name: SERVICE, port }
      }
    })
    const path = `/apis/${GROUP}/${VERSION}/nodes`
    const probe = Effect.map(api.request({ method: "GET", path }), ({ status, text }) => ({ status, text }))
    yield* eventually("the cluster serves metrics.k8s.io", probe, ({ status }) => status === 200, {
      within: AVAILABLE_WITHIN
    })
  })

/** Applies an object and deletes it when the scope closes. A failed deletion is only logged. */
const applyScoped = (api: ClusterApi, object: KubeObject) =>
  Effect.acquireRelease(api.apply(object), () =>
    api
      .delete(refOf(object))
      .pipe(
        Effect.catch((error) => Effect.logDebug(`could not delete the ${object.kind} of metrics: ${error.message}`))
      )
  )
