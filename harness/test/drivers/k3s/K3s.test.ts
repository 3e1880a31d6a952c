/** What only a driver of containers has to prove; how its clusters behave is in the conformance suite. */
import { assert, describe, it, layer } from "@effect/vitest"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { ConfigProvider, Effect, Fiber, Redacted } from "effect"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import * as K3s from "../../../src/drivers/k3s/K3s.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import type { FleetCluster } from "../../../src/fleet/FleetCluster.ts"
import * as Containers from "../../../src/drivers/k3s/Containers.ts"
import { CLUSTER_LABEL, labels, RUN_LABEL } from "../../../src/drivers/k3s/Labels.ts"
import { sweep } from "../../../src/drivers/k3s/Sweep.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const LIMIT = 240_000

/** The environment of a machine of which only these settings are known. */
const on = (settings: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))

/** What this process has with the engine: names of clusters and networks. */
const ours = Effect.gen(function* () {
  const mine = `${RUN_LABEL}=${(yield* labels)[RUN_LABEL]}`
  const containers = yield* Containers.list(mine)
  const networks = yield* Containers.listNetworks(mine)
  return [...containers.map(({ labels }) => labels[CLUSTER_LABEL]), ...networks.map(({ name }) => name)]
})

/** Another process that holds a cluster named `held`, and that cluster's server. */
const holder = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@quarterdeck/source", new URL("./Holder.ts", import.meta.url).pathname], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const server = yield* Effect.promise(async () => {
    for await (const line of createInterface({ input: child.stdout })) return line
    return "nothing"
  })
  return { server, kill: Effect.sync(() => child.kill("SIGKILL")) }
})

/** The namespaces of a cluster as kubectl lists them within another one's container. */
const seenFrom = Effect.fnUntraced(function* (
  from: FleetCluster,
  cluster: FleetCluster,
  clusters: ReadonlyArray<FleetCluster>
) {
  const kubeconfig = yield* K3s.aliasedKubeconfig(clusters)
  const script = `cat > /tmp/fleet.yaml <<'END'\n${kubeconfig}END\nkubectl --kubeconfig=/tmp/fleet.yaml --context=$0 get namespaces -o name`
  const { stderr, stdout } = yield* (yield* K3s.inside(from)).exec(["sh", "-c", script, cluster.name])
  return `${stdout}${stderr}`
})

const held = Effect.map(Containers.list(`${CLUSTER_LABEL}=held`), (found) => found.map(({ id }) => id))

describe("the k3s driver where it cannot run", () => {
  it.effect("says what would bring Docker", () =>
    Effect.gen(function* () {
      const error = yield* Fleet.make({ driver: K3s.driver, parent: "hub" }).pipe(
        Effect.scoped,
        on({ DOCKER_HOST: "unix:///nowhere/docker.sock" }),
        Effect.flip
      )
      assert.strictEqual(error.reason._tag, "DriverUnavailable")
      assert.include(error.message, "start Docker, or set DOCKER_HOST")
    })
  )
})

for (const driver of run.filter(({ name }) => name === K3s.driver.name)) {
  const three = Fleet.layer({ driver: K3s.driver, parent: "hub", children: ["EU_1", "us"] })
  layer(three, { timeout: "4 minutes" })(`three clusters of the ${driver.name} driver`, (it) => {
    it.effect(
      "start at once on one network, where a parent reaches a child by its name",
      () =>
        Effect.gen(function* () {
          const { clusters, parent } = yield* Fleet
          const inside = yield* Effect.forEach(clusters, K3s.inside)
          assert.deepStrictEqual(
            inside.map(({ internalServer }) => internalServer),
            ["https://hub:6443", "https://eu-1:6443", "https://us:6443"]
          )
          for (const cluster of clusters) {
            yield* cluster.api.create({
              apiVersion: "v1",
              kind: "Namespace",
              metadata: { name: `in-${cluster.server.slice(-5)}` }
            })
            assert.include(yield* seenFrom(parent, cluster, clusters), `namespace/in-${cluster.server.slice(-5)}\n`)
          }
          const error = yield* Effect.flip(K3s.inside({ name: parent.name, server: "https://127.0.0.1:1" }))
          assert.strictEqual(error.message, "cluster hub: hub is not a running cluster of the k3s driver")
        }),
      LIMIT
    )

    it.effect(
      "of which one that starts anew has lost its objects, and kept its name, address, authority and tokens",
      () =>
        Effect.gen(function* () {
          const { clusters, parent } = yield* Fleet
          const us = yield* (yield* Fleet).cluster("us")
          const namespace = { apiVersion: "v1", kind: "Namespace", name: "lost" }
          yield* us.api.create({ ...namespace, metadata: { name: "lost" } })
          const { restartEmpty } = yield* K3s.inside(us)
          yield* restartEmpty
          yield* us.api.reconnect
          const { items } = yield* us.api.list({ apiVersion: "v1", kind: "Namespace" })
          const names = items.map(({ metadata }) => metadata.name)
          assert.include(names, "default")
          assert.notInclude(names, "lost")
          assert.notInclude(yield* us.logs, Redacted.value(yield* us.token("admin")))
          assert.include(yield* seenFrom(parent, us, clusters), "namespace/default\n")
        }),
      LIMIT
    )
  })

  describe(`the ${driver.name} driver`, () => {
    it.effect(
      "two fleets of one driver do not mix up clusters of the same name, and leave nothing behind",
      () =>
        Effect.gen(function* () {
          const two = Effect.all(
            [Fleet.make({ driver: K3s.driver, parent: "hub" }), Fleet.make({ driver: K3s.driver, parent: "hub" })],
            { concurrency: "unbounded" }
          )
          yield* Effect.scoped(
            Effect.gen(function* () {
              const fleets = yield* two
              const aliases = yield* Effect.forEach(fleets, ({ parent }) =>
                Effect.map(K3s.inside(parent), ({ alias }) => alias)
              )
              assert.deepStrictEqual(aliases.toSorted(), ["hub", "hub-2"])
              // Two containers and their network.
              assert.strictEqual((yield* ours).length, 3)
            })
          )
          assert.isEmpty(yield* ours)
        }),
      LIMIT
    )

    it.effect(
      "an image that is not here is refused at once, with the command that would bring it",
      () =>
        Effect.gen(function* () {
          const absent = K3s.make({ image: "rancher/k3s:v0.0.1-k3s1" })
          const availability = yield* absent.available
          const error = yield* Effect.flip(Effect.scoped(Fleet.make({ driver: absent, parent: "hub" })))
          const remedy =
            "the image rancher/k3s:v0.0.1-k3s1 is missing; pull it with `docker pull rancher/k3s:v0.0.1-k3s1`"
          assert.include(availability._tag === "Missing" ? availability.remedy : "", remedy)
          assert.include(error.message, `cluster hub: the k3s driver cannot run here: ${remedy}`)
          const other = yield* Effect.flip(
            Effect.scoped(K3s.driver.start({ name: "hub", users: ADMINS, version: "1.7" }))
          )
          assert.include(other.message, ":v1.7.<patch>-k3s1 is missing")
        }),
      LIMIT
    )

    it.effect(
      "a flag that a program does not know ends the start early, and the error shows it",
      () =>
        Effect.gen(function* () {
          const wrong = K3s.make({ args: ["--kube-apiserver-arg=nonsense=1"] })
          const error = yield* Effect.flip(Effect.scoped(Fleet.make({ driver: wrong, parent: "wrong" })))
          assert.strictEqual(error.reason._tag, "ContainerFailed")
          assert.strictEqual(error.reason._tag === "ContainerFailed" ? error.reason.kind : "", "BadFlag")
          assert.include(error.message, "nonsense")
          assert.isAtMost(error.message.split("\n").length, 20)
          assert.isEmpty(yield* ours)
        }),
      LIMIT
    )

    it.effect(
      "a start that is interrupted leaves nothing behind",
      () =>
        Effect.gen(function* () {
          const starting = yield* Fleet.make({ driver, parent: "stopped" }).pipe(
            Effect.scoped,
            Effect.forkChild({ startImmediately: true })
          )
          yield* eventually("a container exists", ours, (names) => names.includes("stopped"), { within: "60 seconds" })
          yield* Fiber.interrupt(starting)
          assert.isEmpty(yield* ours)
        }),
      LIMIT
    )

    it.effect(
      "a run leaves another one's clusters alone, and the next start removes them once their process was killed",
      () =>
        Effect.gen(function* () {
          const other = yield* holder
          yield* Effect.scoped(Fleet.make({ driver, parent: "beside" }))
          assert.notInclude((yield* sweep).join(), "container held")
          const alive = yield* Effect.promise(() => fetch(`${other.server.replace("https", "http")}/`))
          // It answers: a client that speaks HTTP to it is told to speak HTTPS.
          assert.strictEqual(alive.status, 400)
          const [container = "none"] = yield* held

          yield* other.kill
          const next = Effect.andThen(Effect.scoped(Fleet.make({ driver, parent: "next" })), held)
          yield* eventually("the container of the killed process is gone", next, (ids) => !ids.includes(container), {
            within: "60 seconds"
          })
        }),
      LIMIT
    )
  })
}

const ADMINS = [{ name: "admin", groups: ["system:masters"], token: Redacted.make("unused") }]
