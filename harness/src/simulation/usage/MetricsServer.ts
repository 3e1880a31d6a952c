/** Serves `metrics.k8s.io` out of this process, in the place of metrics-server. */
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
/** How an API server that runs on this machine reaches this process. */
export const LOCAL = "localhost"
/** A server that found nobody at first asks again after 5, 10 and 20 s. */
const AVAILABLE_WITHIN = "90 seconds"

/** Listens on a free port and gives its number: of 127.0.0.1, of the address given, or of every address for a name. */
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
 * Registers a port of this machine as the cluster's `metrics.k8s.io`, until the scope closes.
 *
 * It makes an ExternalName Service that leads to `reachedAt` and an APIService without a CA, so that
 * any certificate will do; a cluster that has metrics already is taken over and left without.
 *
 * **Errors** `NotYet` when the cluster does not find it available within 90 s.
 */
export const register = (
  api: ClusterApi,
  port: number,
  reachedAt: string
): Effect.Effect<void, ApiError | NotYet, Scope.Scope> =>
  Effect.gen(function* () {
    yield* registered(api, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: SERVICE, namespace: NAMESPACE },
      spec: { type: "ExternalName", externalName: reachedAt }
    })
    yield* registered(api, {
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
    const asked = Effect.map(api.request({ method: "GET", path }), ({ status, text }) => ({ status, text }))
    yield* eventually("the cluster serves metrics.k8s.io", asked, ({ status }) => status === 200, {
      within: AVAILABLE_WITHIN
    })
  })

/** Applies an object, and deletes it with the scope; a cluster that is gone by then needs no tidying. */
const registered = (api: ClusterApi, object: KubeObject) =>
  Effect.acquireRelease(api.apply(object), () =>
    api
      .delete(refOf(object))
      .pipe(Effect.catch((error) => Effect.logDebug(`${object.kind} of metrics stays: ${error.message}`)))
  )
