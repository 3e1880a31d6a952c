/**
 * Soak: an idle watch is not reopened and opens no connection.
 *
 * Run `pnpm soak [minutes]` (default 5). A real control plane counts watch requests (`apiserver_request_total`), and a proxy
 * in front of it counts connections. The exit status is 0 if neither count grew while nothing was written.
 */
import { SamplerSettings } from "@quarterdeck/cost"
import { ControlPlane, eventually, Fleet, Proxy } from "@quarterdeck/harness"
import { Quarterdeck } from "@quarterdeck/http-server"
import { Console, Context, Effect, FileSystem, Layer, Path, Schema, Stdio } from "effect"
import * as MainProgram from "./MainProgram.ts"

/** The number of watches: the cache watches one per kind. */
const WATCHES = 9

class NotQuiet extends Schema.TaggedError<NotQuiet>()("NotQuiet", {
  connections: Schema.Number,
  requests: Schema.Number
}) {
  override get message(): string {
    return `not quiet: ${this.connections} connections and ${this.requests} watch requests more than at the start`
  }
}

/**
 * Sets the interval of the sampler's lists to a day. By default it lists volumes and services every minute, which opens a
 * connection if the last one timed out. With one list only, every later connection belongs to a watch.
 */
const withoutLists = Layer.effect(
  SamplerSettings.SamplerSettings,
  Effect.map(SamplerSettings.SamplerSettings, (usual) => ({ ...usual, listSeconds: 24 * 3_600 }))
)

const Minutes = Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0.1, maximum: 120 }))

const soak = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { args } = yield* Stdio.Stdio
  const [given = "5"] = yield* args
  const minutes = yield* Schema.decodeEffect(Minutes)(given)

  const fleet = yield* Fleet.make({ driver: ControlPlane.driver, parent: "hub" })
  const proxy = yield* Proxy.through(fleet.parent)
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-soak-" })
  const kubeconfig = path.join(directory, "kubeconfig.yaml")
  yield* files.writeFileString(kubeconfig, proxy.kubeconfig, { mode: 0o600 })
  const services = yield* Layer.build(
    Quarterdeck.layer({
      clusters: { kubeconfig: [kubeconfig] },
      cost: { usage: "requests" },
      dataDirectory: path.join(directory, "data")
    }).pipe(Layer.provide(withoutLists))
  )
  const { webHandler } = Context.get(services, Quarterdeck)
  yield* eventually(
    "every kind has synced",
    Effect.promise(() => webHandler(new Request("http://localhost/readyz"))),
    ({ status }) => status === 200
  )
  yield* eventually("every watch is open", watchRequests(fleet), (count) => count >= WATCHES)

  const before = { connections: yield* proxy.accepted, requests: yield* watchRequests(fleet) }
  yield* Console.log(`quiet from here: ${before.connections} connections, ${before.requests} watch requests so far`)
  yield* Effect.forEach(
    Array.from({ length: Math.ceil(minutes) }, (_, index) => index + 1),
    (minute) =>
      Effect.andThen(
        Effect.sleep(`${(minutes / Math.ceil(minutes)) * 60} seconds`),
        Effect.flatMap(proxy.open, (open) => Console.log(`minute ${minute}: ${open} connections open`))
      )
  )
  const after = { connections: yield* proxy.accepted, requests: yield* watchRequests(fleet) }
  const grown = {
    connections: after.connections - before.connections,
    requests: after.requests - before.requests
  }
  yield* Console.log(
    `after ${minutes} minutes: ${grown.connections} connections more, ${grown.requests} watch requests more (goal 0 and 0)`
  )
  if (grown.connections > 0 || grown.requests > 0) return yield* new NotQuiet(grown)
})

/** Returns the number of watch requests that the server has counted, for the kinds that the cache watches. */
const watchRequests = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  const { text } = yield* fleet.parent.api.request({ method: "GET", path: "/metrics" })
  // The server counts a watch when it ends. A separate gauge counts the running ones.
  const sum = (metric: string) =>
    [
      ...text.matchAll(
        new RegExp(`^${metric}\\{(?=[^}]*verb="WATCH")[^}]*resource="(?:${RESOURCES})"[^}]*\\} ([0-9.e+]+)$`, "gm")
      )
    ].reduce((total, [, value]) => total + Number(value), 0)
  return sum("apiserver_request_total") + sum("apiserver_longrunning_requests")
})

const RESOURCES = "deployments|statefulsets|daemonsets|replicasets|jobs|cronjobs|pods|nodes|namespaces"

MainProgram.run(Effect.scoped(soak))
