import { assert, describe, it } from "@effect/vitest"
import { Embedded, Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as Image from "./Image.ts"
import * as Mounted from "./Mounted.ts"
import * as Service from "./Service.ts"

const KEY = "image-admin-0123456789"
/** The default of `server.shutdownMs`. */
const SHUTDOWN_MS = 10_000

/** The image before a fleet on this machine's loopback address, as its users run it but for the network. */
const deployed = Effect.gen(function* () {
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod", "stage"] })
  yield* Seed.fill(fleet)
  const directory = yield* Mounted.directory
  const kubeconfig = yield* Mounted.file(directory, "kubeconfig.yaml", fleet.kubeconfig)
  const keys = yield* Mounted.file(directory, "keys.yaml", Mounted.keysOf(KEY))
  const container = yield* Image.start([
    ...Image.CONFINED,
    ...Image.MEMORY,
    "--network=host",
    "--env=QUARTERDECK_HOST=127.0.0.1",
    "--env=QUARTERDECK_PORT=0",
    `--volume=${kubeconfig}:/etc/quarterdeck/kubeconfig.yaml:ro`,
    "--env=QUARTERDECK_KUBECONFIG=/etc/quarterdeck/kubeconfig.yaml",
    `--volume=${keys}:/etc/quarterdeck/keys.yaml:ro`,
    "--env=QUARTERDECK_KEYS_FILE=/etc/quarterdeck/keys.yaml"
  ])
  const url = yield* container.url
  const service = Service.at(url, KEY)
  yield* service.ready
  return { container, fleet, service, url }
})

const repository = (path: string) =>
  Effect.promise(() => readFile(new URL(`../../../../${path}`, import.meta.url), "utf8"))

describe("the image", () => {
  Image.sayIfLeftOut(it)
  if (!Image.runs) return

  it.live("serves with a read-only root and without any right, until SIGTERM ends it", () =>
    Effect.gen(function* () {
      const { container, service, url } = yield* deployed

      assert.strictEqual(yield* service.ask("/healthz"), "ok")
      const { clusters } = yield* service.clusters
      assert.deepStrictEqual(
        clusters.map(({ name, reachable, role }) => ({ name, reachable, role })),
        [
          { name: "hub", reachable: true, role: "parent" },
          { name: "prod", reachable: true, role: "child" },
          { name: "stage", reachable: true, role: "child" }
        ]
      )
      const { partial, workloads } = yield* service.workloads("*")
      assert.isFalse(partial)
      assert.sameMembers([...new Set<string>(workloads.map(({ cluster }) => cluster))], ["hub", "prod", "stage"])
      const costs = yield* service.costs("?range=1h", { multiCluster: true })
      assert.strictEqual(costs.clusters.length, 3)
      assert.include(yield* service.ask("/"), "<title>")

      const create = [
        "quarterdeck",
        "key",
        "create",
        "--url",
        url,
        "--name",
        "ci",
        "--role",
        "Viewer",
        "--expire",
        "1d"
      ]
      const { stdout } = yield* Image.docker("exec", `--env=QUARTERDECK_API_KEY=${KEY}`, container.id, ...create)
      const viewer = Service.at(url, /qd_\S+/.exec(stdout)?.[0] ?? stdout)
      assert.include(yield* viewer.ask("/api/v1/whoami"), '"name":"ci"')

      const { status, tookMs } = yield* container.stop
      assert.strictEqual(status, 0, yield* container.log)
      assert.isBelow(tookMs, SHUTDOWN_MS)
    }).pipe(Effect.scoped)
  )

  it.live("is what the docs say: a user without rights, a port, a data directory", () =>
    Effect.gen(function* () {
      const [{ Config, Size }] = yield* Image.inspected
      assert.deepInclude(Config, {
        User: "65532:65532",
        Entrypoint: ["quarterdeck"],
        Cmd: ["serve"],
        Volumes: { "/data": {} },
        ExposedPorts: { "8080/tcp": {} }
      })
      assert.includeMembers(
        [...Config.Env],
        ["QUARTERDECK_HOST=0.0.0.0", "QUARTERDECK_DATA=/data", "NODE_OPTIONS=--max-semi-space-size=16 --v8-pool-size=1"]
      )
      assert.strictEqual(Config.Labels["org.opencontainers.image.licenses"], "Apache-2.0")
      assert.isBelow(Size, 200e6)
    })
  )

  it.live("runs the very Node that the tests ran on, whose version the Dockerfile names", () =>
    Effect.gen(function* () {
      const version = /^ {2}node: (\d\S+)$/m.exec(yield* repository("pnpm-workspace.yaml"))?.[1]
      assert.isDefined(version)
      assert.include(yield* repository("Dockerfile"), `ARG NODE=node:${version}-`)
    })
  )

  it.live("makes keys without a server", () =>
    Effect.gen(function* () {
      const { stdout } = yield* Image.command("key", "generate")
      assert.match(stdout, /^key: {2}qd_\S+\nhash: [0-9a-f]{64}\n$/)
    })
  )
})
