/**
 * Connections to the servers behind APIService objects.
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

/** Keeps connections for each server and way to trust it. **Limits** they close with the scope. */
export const connect: Effect.Effect<Send, never, Scope.Scope> = Effect.gen(function* () {
  const agents = new Map<string, Agent>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...agents.values()], (agent) => Effect.promise(() => agent.destroy()), { discard: true })
  )
  const agentFor = ({ caPem, service, trustsAnybody }: AggregatedApi): Agent => {
    const key = JSON.stringify([caPem, trustsAnybody, service])
    const known = agents.get(key)
    if (known !== undefined) return known
    // A certificate is for the name that the service has inside the cluster, wherever it runs.
    const servername = `${service.name}.${service.namespace}.svc`
    const trust = trustsAnybody ? { rejectUnauthorized: false } : caPem === "" ? {} : { ca: caPem }
    const agent = new Agent({ connections: CONNECTIONS, connect: { ...trust, servername } })
    agents.set(key, agent)
    return agent
  }
  return (api, origin, options) => Effect.tryPromise((signal) => agentFor(api).request({ ...options, origin, signal }))
})

/** Where the service of an API is; only one with a name outside the cluster can be reached, for no pod runs here. */
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

/** Who asks, as the other server is told: it takes this server's word for it. */
export const headersOf = (user: User): Record<string, string | Array<string>> => ({
  "x-remote-user": user.name,
  "x-remote-group": [...user.groups],
  ...(user.uid === undefined ? {} : { "x-remote-uid": user.uid }),
  ...Object.fromEntries(
    Object.entries(user.extra ?? {}).map(([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]])
  )
})

/** Says why a connection failed. */
export const why = (cause: unknown): string => {
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  return inner instanceof Error ? inner.message : String(inner)
}
