import { assert, describe, it } from "@effect/vitest"
import { type ClusterDriver, Drivers, eventually, Fleet, type FleetCluster, Seed } from "@quarterdeck/harness"
import { K3s } from "@quarterdeck/harness/k3s"
import { Effect, Redacted } from "effect"
import { deploymentNamed } from "../e2e/manifests.ts"
import * as Account from "./Account.ts"
import * as Image from "./Image.ts"
import * as Mounted from "./Mounted.ts"
import * as Service from "./Service.ts"

const KEY = "in-pod-admin-0123456789"
const { run } = await Effect.runPromise(Drivers.selected)

/** How the pod reaches its cluster, and how this process reaches the pod. */
interface Place {
  readonly options: ReadonlyArray<string>
  readonly apiServer: readonly [host: string, port: string]
  readonly url: (container: Image.Container) => Effect.Effect<string, unknown>
}

/** On the machine's own network, where the cluster is a process. */
const onTheMachine = ({ server }: FleetCluster.FleetCluster): Place => {
  const { hostname, port } = new URL(server)
  return {
    options: ["--network=host", "--env=QUARTERDECK_HOST=127.0.0.1", "--env=QUARTERDECK_PORT=0"],
    apiServer: [hostname, port],
    url: ({ url }) => url
  }
}

/** On the clusters' own network, as a pod is, with an address of its own. */
const onTheNetwork = Effect.fnUntraced(function* (cluster: FleetCluster.FleetCluster) {
  const { hostname, port } = new URL((yield* K3s.inside(cluster)).internalServer)
  const place: Place = {
    options: [`--network=${yield* Image.networkOf(cluster)}`, "--publish=127.0.0.1::8080"],
    apiServer: [hostname, port],
    url: ({ published }) => published
  }
  return place
})

/** The image with an account's files and the variables that a pod has, and nothing that says which clusters there are. */
const inPod = Effect.fnUntraced(function* (driver: ClusterDriver.ClusterDriver) {
  const fleet = yield* Fleet.make({ driver, parent: "hub" })
  const cluster = fleet.parent
  yield* Seed.fill(fleet)
  const account = yield* Account.make(cluster)
  const token = yield* account.token("first")
  const files = yield* Account.mount(cluster.caPem, token.text)
  const keys = yield* Mounted.file(yield* Mounted.directory, "keys.yaml", Mounted.keysOf(KEY))
  const place = driver.name === "k3s" ? yield* onTheNetwork(cluster) : onTheMachine(cluster)
  const [host, port] = place.apiServer
  const container = yield* Image.start([
    ...Image.CONFINED,
    ...Image.MEMORY,
    ...place.options,
    `--volume=${files.directory}:/var/run/secrets/kubernetes.io/serviceaccount:ro`,
    `--env=KUBERNETES_SERVICE_HOST=${host}`,
    `--env=KUBERNETES_SERVICE_PORT=${port}`,
    `--volume=${keys}:/etc/quarterdeck/keys.yaml:ro`,
    "--env=QUARTERDECK_KEYS_FILE=/etc/quarterdeck/keys.yaml"
  ])
  const service = Service.at(yield* place.url(container), KEY)
  yield* service.ready
  return { account, cluster, container, files, service, token }
})

// Most of the time is the API servers', which take a token for good for ten seconds after they saw it.
describe("the image in a pod", { concurrent: true }, () => {
  Image.sayIfLeftOut(it)
  if (!Image.runs) return

  it.live.each(run)("finds its own cluster, and goes on when the account's token changes, on $name", (driver) =>
    Effect.gen(function* () {
      const { account, cluster, container, files, service, token } = yield* inPod(driver)
      const { clusters } = yield* service.clusters
      assert.deepStrictEqual(
        clusters.map(({ name, reachable, role }) => ({ name, reachable, role })),
        [{ name: "parent", reachable: true, role: "parent" }]
      )
      const first = yield* service.workloads("parent")
      assert.isFalse(first.partial)
      assert.isAbove(first.workloads.length, 10)

      const next = yield* account.token("second")
      yield* files.rotate("set-2", next.text)
      yield* token.end
      const withOld = cluster.api.as(Redacted.make(token.text))
      yield* eventually(
        "the cluster refuses the old token",
        withOld.request({ method: "GET", path: "/api/v1/pods" }),
        ({ status }) => status === 401,
        { within: "60 seconds" }
      )
      const live = yield* service.workloads("parent", "?consistency=live")
      assert.strictEqual(live.clusters[0]?.status, "ok", JSON.stringify(live.clusters))
      assert.isAbove(live.workloads.length, 10)

      // What is being followed goes on too: with connections that began after the old token's end.
      yield* cluster.restart
      yield* cluster.api.create(deploymentNamed("late"))
      yield* eventually(
        "what came later is in the cache",
        service.workloads("parent", "?name=late"),
        ({ clusters, workloads }) => clusters[0]?.source === "cache" && workloads.some(({ name }) => name === "late"),
        { within: "30 seconds" }
      )

      const log = yield* container.log
      assert.include(log, "with a service account of namespace quarterdeck")
      for (const secret of [token.text, next.text]) assert.notInclude(log, secret)
    }).pipe(Effect.scoped)
  )
})
