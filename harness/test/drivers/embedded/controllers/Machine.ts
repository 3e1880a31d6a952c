/** A cluster with controllers, a node, and somebody who says that what runs there runs. */
import { Effect, type Scope } from "effect"
import { arrayAt, at, isArray, type Json, type JsonObject, objectAt, textAt } from "@quarterdeck/embedded-cluster/Json"
import { eventually } from "../../../../src/machine/Eventually.ts"
import { type Client, connect, patching, USERS } from "../Client.ts"
import { driver } from "../../../../src/drivers/embedded/Embedded.ts"

export const NAMESPACE = "/api/v1/namespaces/default"
export const PODS = `${NAMESPACE}/pods`
export const APPS = "/apis/apps/v1/namespaces/default"
export const BATCH = "/apis/batch/v1/namespaces/default"

const WAIT = { within: "30 seconds", every: "20 millis" } as const

export const node = (name: string): JsonObject => ({
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  status: {
    capacity: { cpu: "64", memory: "256Gi", pods: "5000" },
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

/** Runs what is bound, unless its annotation `test/stays` says otherwise, and ends what is told to end. */
export const kubelet = (client: Client): Effect.Effect<void, never, Scope.Scope> =>
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

/** An embedded cluster with controllers, a node and a kubelet. */
export const cluster = Effect.gen(function* () {
  const server = yield* driver.start({ name: "test", users: USERS, controllers: true })
  const client = yield* connect(server)
  yield* client.call("POST", "/api/v1/nodes", { body: node("n1") })
  yield* kubelet(client)
  return { server, ...client, ...watching(client) }
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
    /** Waits until the object at a path is as it should be. */
    until: (what: string, path: string, holds: (object: JsonObject) => boolean) =>
      Effect.orDie(eventually(what, get(path), holds, WAIT)),
    untilItems: (what: string, path: string, holds: (items: ReadonlyArray<Json>) => boolean) =>
      Effect.orDie(eventually(what, items(path), holds, WAIT))
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
