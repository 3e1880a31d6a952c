/**
 * HTTP connections to the servers of APIService objects.
 */
import { Effect, type Scope } from "effect"
import type { UnknownError } from "effect/Cause"
import { Agent, type Dispatcher } from "undici"
import type { AggregatedApi } from "../core/AggregatedApis.ts"
import { textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import { keyOf, read } from "../core/Stored.ts"
import type { User } from "../core/User.ts"

/** Sends a request to the server of an API. */
export type Send = (
  api: AggregatedApi,
  origin: string,
  options: Omit<Dispatcher.RequestOptions, "origin">
) => Effect.Effect<Dispatcher.ResponseData, UnknownError>

const CONNECTIONS = 16

/** Makes a connection pool for each server and its TLS settings. **Limits** the connections close with the scope. */
export const connect: Effect.Effect<Send, never, Scope.Scope> = Effect.gen(function* () {
  const agents = new Map<string, Agent>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...agents.values()], (agent) => Effect.promise(() => agent.destroy()), { discard: true })
  )
  const agentFor = ({ caPem, service, skipsTlsVerification }: AggregatedApi): Agent => {
    const key = JSON.stringify([caPem, skipsTlsVerification, service])
    const known = agents.get(key)
    if (known !== undefined) return known
    // The certificate names the service inside the cluster, wherever its server runs.
    const servername = `${service.name}.${service.namespace}.svc`
    const trust = skipsTlsVerification ? { rejectUnauthorized: false } : caPem === "" ? {} : { ca: caPem }
    const agent = new Agent({ connections: CONNECTIONS, connect: { ...trust, servername } })
    agents.set(key, agent)
    return agent
  }
  return (api, origin, options) => Effect.tryPromise((signal) => agentFor(api).request({ ...options, origin, signal }))
})

/** Origin of an API's service. Only a service of type ExternalName is reachable, because no pods run here. */
export const originOf = ({ store }: Kernel, { service }: AggregatedApi): string | undefined => {
  const stored = store.get(Resources.services, keyOf(service.namespace, service.name))
  if (stored === undefined) return undefined
  const object = read(stored)
  const outside = textAt(object, "spec", "type") === "ExternalName"
  const host = textAt(object, "spec", outside ? "externalName" : "clusterIP")
  return host === "" || host === "None"
    ? undefined
    : `https://${host.includes(":") ? `[${host}]` : host}:${service.port}`
}

/** Headers that identify the user to the other server, which trusts them. */
export const headersOf = (user: User): Record<string, string | Array<string>> => ({
  "x-remote-user": user.name,
  "x-remote-group": [...user.groups],
  ...(user.uid === undefined ? {} : { "x-remote-uid": user.uid }),
  ...Object.fromEntries(
    Object.entries(user.extra ?? {}).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]])
  )
})

/** Returns the reason why a connection failed. */
export const why = (cause: unknown): string => {
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error ? inner.message : String(inner)
}
