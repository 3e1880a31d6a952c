/**
 * Embedded clusters that start with contents.
 */
import { EmbeddedServer } from "@quarterdeck/embedded-cluster"
import { Kubeconfig } from "@quarterdeck/harness"
import { Effect, Option, Redacted } from "effect"
import * as Objects from "../load/Objects.ts"
import * as Delays from "./Delays.ts"
import * as Filling from "./Filling.ts"

const TOKEN = "benchmark-admin-0123456789"
const ADMIN = { name: "admin", groups: ["system:masters"], token: Redacted.make(TOKEN) }

/** Calls one cluster as its admin, without a connection. Returns the status. */
export type Call = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: { readonly contentType: string; readonly value: unknown }
) => Effect.Effect<number>

export interface Clusters {
  readonly kubeconfig: string
  /** One per cluster, by number. */
  readonly calls: ReadonlyArray<Call>
  /** Delays each answer by the filling's `delayMs`, from now on. */
  readonly slow: Effect.Effect<void>
  /** Makes the clusters unreachable again, if the filling started them unreachable. */
  readonly hold: Effect.Effect<void>
  /** Makes the clusters reachable, if the filling started them unreachable. */
  readonly open: Effect.Effect<void>
}

/** Starts the clusters of a filling, with their contents. */
export const make = Effect.fnUntraced(function* (filling: Filling.Filling) {
  const delays = yield* Delays.make(filling.delayMs, filling.isHeld)
  const empty = yield* EmbeddedServer.start({ name: "empty", users: [ADMIN] })
  const { extra, objects } = yield* empty.save
  const servers = yield* Effect.forEach(Array.from({ length: filling.clusters }).keys(), (place) =>
    EmbeddedServer.start({
      name: Filling.clusterName(place),
      users: [ADMIN],
      from: { extra, objects: [...objects, ...linesOf(filling, place)] },
      bookmarkIntervalMs: 10_000
    })
  )
  const entries = yield* Effect.forEach(servers, ({ caPem, name, server }) =>
    Effect.map(filling.delayMs > 0 || filling.isHeld ? delays.relay(server) : Effect.succeed(server), (reached) => ({
      name,
      server: reached,
      caPem,
      user: ADMIN.name,
      token: ADMIN.token
    }))
  )
  const clusters: Clusters = {
    kubeconfig: Kubeconfig.print(entries),
    calls: servers.map(
      ({ answer }): Call =>
        (method, path, body) =>
          answer({
            method,
            path,
            headers: {
              authorization: `Bearer ${TOKEN}`,
              accept: "application/json",
              ...(body === undefined ? {} : { "content-type": body.contentType })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body.value) })
          }).pipe(Effect.map(Option.match({ onNone: () => 0, onSome: ({ status }) => status })))
    ),
    slow: delays.slow,
    hold: delays.hold,
    open: delays.open
  }
  return clusters
})

/** Returns the objects of a cluster in the form of a saved cluster. */
const linesOf = ({ deployments, podBytes, pods }: Filling.Filling, place: number): ReadonlyArray<string> => [
  ...Objects.namespaces.map((name, index) => line("", "v1", "namespaces", Filling.namespace(place, name, index))),
  ...Array.from({ length: deployments }, (_, index) =>
    line("apps", "v1", "deployments", Filling.deployment(place, index))
  ),
  ...Array.from({ length: pods }, (_, index) => line("", "v1", "pods", Filling.pod(place, index, podBytes)))
]

const line = (group: string, version: string, resource: string, object: unknown): string =>
  JSON.stringify({ group, version, resource, object })
