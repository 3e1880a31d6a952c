/** A cluster with controllers, a node, and a fake kubelet that reports pods as running. */
import { Effect, type Scope } from "effect"
import { arrayAt, at, isArray, type Json, type JsonObject, objectAt, textAt } from "../../src/core/Json.ts"
import { inRealTime } from "../../src/core/Machine.ts"
import { type Client, patching, started } from "../Client.ts"

export const NAMESPACE = "/api/v1/namespaces/default"
export const PODS = `${NAMESPACE}/pods`
export const APPS = "/apis/apps/v1/namespaces/default"
export const BATCH = "/apis/batch/v1/namespaces/default"

/** Polls until the reply satisfies a condition. */
const asked = <A>(what: string, probe: Effect.Effect<A>, holds: (value: A) => boolean): Effect.Effect<A> =>
  Effect.suspend(() => {
    let last: A | undefined
    return Effect.gen(function* () {
      for (;;) {
        last = yield* probe
        if (holds(last)) return last
        yield* Effect.sleep("20 millis")
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: "30 seconds",
        orElse: () => Effect.die(new Error(`${what}: not after 30 s; last seen: ${JSON.stringify(last)}`))
      }),
      inRealTime
    )
  })

export const node = (
  name: string,
  more: { readonly labels?: JsonObject; readonly pods?: string } = {}
): JsonObject => ({
  metadata: { name, labels: { "kubernetes.io/hostname": name, ...more.labels } },
  status: {
    capacity: { cpu: "64", memory: "256Gi", pods: more.pods ?? "5000" },
    conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }]
  }
})

const running = (pod: Json | undefined): JsonObject => ({
  status: {
    phase: "Running",
    podIP: "10.244.0.7",
    conditions: ["Initialized", "Ready", "ContainersReady"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: new Date().toISOString().replace(/\.[0-9]+Z/, "Z")
    })),
    containerStatuses: arrayAt(pod, "spec", "containers").map((container) => ({
      name: textAt(container, "name"),
      image: textAt(container, "image"),
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } }
    }))
  }
})

/** Runs bound pods unless they have the annotation `test/stays`, and stops pods marked for deletion. */
const kubelet = (client: Client): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const events = yield* client.watch("/api/v1/pods?watch=1")
    const handle = (pod: Json | undefined) => {
      const path = `/api/v1/namespaces/${textAt(pod, "metadata", "namespace")}/pods/${textAt(pod, "metadata", "name")}`
      if (at(pod, "metadata", "deletionTimestamp") !== undefined) {
        return client.call("DELETE", `${path}?gracePeriodSeconds=0`)
      }
      const waits = textAt(pod, "spec", "nodeName") !== "" && textAt(pod, "status", "phase") === "Pending"
      return waits && textAt(pod, "metadata", "annotations", "test/stays") === ""
        ? client.call("PATCH", `${path}/status`, patching(running(pod), "application/strategic-merge-patch+json"))
        : Effect.void
    }
    const next = Effect.flatMap(events.next, (event) =>
      event === undefined || textAt(event, "type") === "DELETED" ? Effect.void : handle(at(event, "object"))
    )
    yield* Effect.forkScoped(Effect.forever(next))
  })

/** A cluster with controllers and a number of nodes, by default with a fake kubelet. */
export const cluster = (options: { readonly nodes?: number; readonly kubelet?: boolean } = {}) =>
  Effect.gen(function* () {
    const client = yield* started({ controllers: true })
    for (let index = 1; index <= (options.nodes ?? 1); index++) {
      yield* client.call("POST", "/api/v1/nodes", { body: node(`n${index}`) })
    }
    if (options.kubelet !== false) yield* kubelet(client)
    return { ...client, ...watching(client) }
  })

export const watching = ({ call }: Pick<Client, "call">) => {
  const get = (path: string) => Effect.map(call("GET", path), ({ json }) => json)
  const items = (path: string) =>
    Effect.map(get(path), (list) => {
      const found = list["items"]
      return isArray(found) ? found : []
    })
  return {
    get,
    items,
    /** Waits until the object at a path satisfies a condition. */
    until: (what: string, path: string, holds: (object: JsonObject) => boolean) => asked(what, get(path), holds),
    untilItems: (what: string, path: string, holds: (items: ReadonlyArray<Json>) => boolean) =>
      asked(what, items(path), holds)
  }
}

export const condition = (object: Json | undefined, type: string): JsonObject =>
  objectAt(
    { found: arrayAt(object, "status", "conditions").find((one) => textAt(one, "type") === type) ?? null },
    "found"
  )

export const isAvailable = (replicas: number) => (object: JsonObject) =>
  at(object, "status", "availableReplicas") === replicas
  && at(object, "status", "updatedReplicas") === replicas
  && at(object, "status", "replicas") === replicas
  && at(object, "status", "observedGeneration") === at(object, "metadata", "generation")
