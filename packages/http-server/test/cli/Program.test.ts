import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { createHash } from "node:crypto"
import { createServer } from "node:net"
import { quarterdeck, quarterdeckProcess, serve } from "./program.ts"
import { type Place, writeUnusable } from "./UnusableFiles.ts"

/** Two real clusters, and a directory with their kubeconfig. */
class World extends Context.Service<
  World,
  {
    readonly directory: string
    readonly kubeconfig: string
    readonly at: (name: string) => string
  }
>()("@quarterdeck/http-server/test/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { join } = yield* Path.Path
      const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
      for (const cluster of fleet.clusters) {
        yield* cluster.api.create(deployment(`shop-${cluster.name}`))
      }
      const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-program-" })
      const at = (name: string) => join(directory, name)
      yield* files.writeFileString(at("kubeconfig.yaml"), fleet.kubeconfig)
      return { directory, kubeconfig: at("kubeconfig.yaml"), at }
    })
  ).pipe(Layer.provideMerge(NodeServices.layer), Layer.orDie)
}

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "a", image: "shop:1" }] } }
  }
})

layer(World.layer, { timeout: "60 seconds" })("quarterdeck", (it) => {
  /** Settings that no test shares. */
  const own = Effect.fnUntraced(function* () {
    const files = yield* FileSystem.FileSystem
    const { directory, kubeconfig } = yield* World
    const { join } = yield* Path.Path
    const home = yield* files.makeTempDirectoryScoped({ directory })
    return {
      home,
      at: (name: string) => join(home, name),
      flags: ["--port", "0", "--kubeconfig", kubeconfig, "--data", join(home, "data")]
    }
  })

  it.effect(
    "serves, makes its first key, lets the client commands in, and stops with 0 when told to",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { at, flags } = yield* own()
        const server = yield* serve([...flags, "--bootstrap-key-file", at("first.key")])
        const admin = (yield* files.readFileString(at("first.key"))).trim()
        const as = (key: string) => ({ env: { QUARTERDECK_URL: server.url, QUARTERDECK_API_KEY: key } })

        const workloads = yield* eventually(
          "both clusters have synced",
          quarterdeck(["workloads", "--cluster", "*", "--sort", "name", "--name", "shop-", "-o", "csv"], as(admin)),
          ({ stderr }) => stderr === "",
          { within: "30 seconds" }
        )
        assert.deepStrictEqual(
          workloads.stdout.split("\n").map((line) => line.split(",").slice(0, 4).join(" ")),
          ["cluster namespace kind name", "hub default Deployment shop-hub", "prod default Deployment shop-prod", ""]
        )

        const clusters = yield* quarterdeckProcess(["clusters", "-o", "json"], as(admin))
        const rows = (yield* Schema.decodeUnknownEffect(Schema.fromJsonString(ClusterList))(clusters.stdout)).clusters
        assert.deepStrictEqual(
          rows.map(({ name, role }) => `${name} ${role}`),
          ["hub parent", "prod child"]
        )

        const created = yield* quarterdeck(
          ["key", "create", "--name", "ci", "--role", "Viewer", "--clusters", "prod", "--expire", "30d"],
          as(admin)
        )
        assert.match(created.stdout, /^qd_[0-9A-Za-z]{49}\n$/)
        const viewer = created.stdout.trim()
        const id = /^quarterdeck: created (\S+), .* the key is shown only once\n$/.exec(created.stderr)?.[1] ?? ""
        const typo = ["key", "create", "--name", "typo", "--role", "Viewer", "--clusters", "prdo"]
        assert.match((yield* quarterdeck(typo, as(admin))).stderr, /named prdo: .*; did you mean prod\?\n$/)

        const scoped = yield* quarterdeck(["workloads", "--cluster", "*", "--name", "shop-"], as(viewer))
        assert.include(scoped.stdout, "shop-prod")
        assert.notInclude(scoped.stdout, "shop-hub")
        const forbidden = yield* quarterdeckProcess(["workloads", "--cluster", "hub"], as(viewer))
        assert.match(forbidden.stderr, /^quarterdeck: .* \(HTTP 403, code cluster_forbidden, .*\)\n$/)
        assert.strictEqual(forbidden.status, 1)

        const list = yield* quarterdeck(["key", "list", "-o", "json"], as(admin))
        const { apiKeys } = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(ApiKeyList))(list.stdout)
        assert.include(
          apiKeys.map((key) => key.id),
          id
        )
        assert.strictEqual((yield* quarterdeck(["key", "revoke", id], as(admin))).status, 0)
        const revoked = yield* quarterdeck(["clusters"], as(viewer))
        assert.match(revoked.stderr, /\(HTTP 401, code key_revoked, /)

        const left = yield* server.stop
        assert.strictEqual(left.status, 0)
        assert.strictEqual(left.stdout, "")
        for (const secret of [admin, viewer]) assert.notInclude(left.stderr, secret)
      }),
    { timeout: 120_000 }
  )

  it.effect(
    "takes the hash that key hash prints as a deploy-time key, and warns of plain HTTP that other machines can reach",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { at, flags } = yield* own()
        const key = "a deploy-time key, with a comma"
        const hash = yield* quarterdeck(["key", "hash"], { stdin: `${key}\n` })
        assert.strictEqual(hash.stdout, `${createHash("sha256").update(key).digest("hex")}\n`)
        const list = `- name: deploy\n  hash: ${hash.stdout}  rule: { role: Viewer }\n`
        yield* files.writeFileString(at("keys.yaml"), list)
        const { stop, url } = yield* serve([...flags, "--host", "0.0.0.0", "--keys-file", at("keys.yaml")])
        const { status } = yield* quarterdeck(["clusters"], { env: { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: key } })
        assert.strictEqual(status, 0)
        assert.match(
          (yield* stop).stderr,
          /level=WARN .*"http:\/\/0\.0\.0\.0:\d+ is plain HTTP that other machines can reach/
        )
      }),
    { timeout: 120_000 }
  )

  it.effect(
    "refuses a port that is in use",
    () =>
      Effect.gen(function* () {
        const { flags } = yield* own()
        const taken = yield* takenPort
        const { status, stderr, stdout } = yield* quarterdeckProcess([
          ...["serve", ...flags.slice(2)],
          ...["--port", String(taken)]
        ])
        assert.strictEqual(
          stderr
            .split("\n")
            .filter((line) => line.startsWith("quarterdeck: "))
            .join("\n"),
          `quarterdeck: cannot listen on 127.0.0.1:${taken}: the port is in use; choose another by --port or QUARTERDECK_PORT`
        )
        assert.strictEqual(stdout, "")
        assert.strictEqual(status, 1)
      }),
    { timeout: 120_000 }
  )

  /** What cannot be used, the flags that name it, and the one line that says so. */
  const REFUSED: ReadonlyArray<readonly [what: string, given: (place: Place) => ReadonlyArray<string>, told: RegExp]> =
    [
      ["no cluster", ({ data }) => data, /^quarterdeck: no cluster: .*; set clusters\.kubeconfig$/],
      [
        "a kubeconfig that is not there",
        ({ at, data }) => [...data, "--kubeconfig", at("none.yaml")],
        /^quarterdeck: clusters\.kubeconfig: \S+ does not exist$/
      ],
      [
        "a file that is no kubeconfig",
        ({ at, data }) => [...data, "--kubeconfig", at("other.yaml")],
        /^quarterdeck: \S+other\.yaml: is not a kubeconfig: /
      ],
      [
        "a kubeconfig that is not YAML",
        ({ at, data }) => [...data, "--kubeconfig", at("broken.yaml")],
        /^quarterdeck: \S+broken\.yaml: is not YAML: .*; no parent cluster: /
      ],
      [
        "a data directory below a file",
        ({ at, clusters }) => [...clusters, "--data", at("broken.yaml/data")],
        /^quarterdeck: dataDirectory: cannot use \S+broken\.yaml \(not a directory\)$/
      ],
      [
        "a data directory that cannot be made",
        ({ clusters }) => [...clusters, "--data", "/proc/quarterdeck"],
        /^quarterdeck: dataDirectory: cannot use \/proc\/quarterdeck \(/
      ],
      [
        "a parent that nobody knows",
        ({ flags }) => [...flags, "--parent", "typo"],
        /^quarterdeck: the parent cluster typo does not exist; known clusters: hub, prod$/
      ],
      [
        "a history of costs that is none",
        ({ at, clusters }) => [...clusters, "--data", at("damaged-costs")],
        /^quarterdeck: costs: could not open the cost history: file is not a database \(\S+\/damaged-costs\/cost\.sqlite\)$/
      ],
      [
        "keys that are none",
        ({ at, clusters }) => [...clusters, "--data", at("damaged-keys")],
        /^quarterdeck: the key store \S+\/damaged-keys\/keys\.sqlite cannot be opened: file is not a database$/
      ],
      [
        "keys of a newer program",
        ({ at, clusters }) => [...clusters, "--data", at("newer-keys")],
        /^quarterdeck: the key store \S+\/newer-keys\/keys\.sqlite has schema version 1000, this program knows \d+: run the newer program, or restore a backup$/
      ],
      [
        "costs of a newer program",
        ({ at, clusters }) => [...clusters, "--data", at("newer-costs")],
        /^quarterdeck: costs: the cost history has schema version 1000, this program knows \d+: run the newer program, or restore a backup \(\S+\/newer-costs\/cost\.sqlite\)$/
      ],
      [
        "a data directory of a newer program",
        ({ at, clusters }) => [...clusters, "--data", at("newer")],
        /^quarterdeck: dataDirectory: \S+\/newer has format 1000, this program knows \d+: run the newer program, or restore a backup$/
      ],
      [
        "prices that are none",
        ({ at, clusters }) => [...clusters, "--data", at("damaged-prices")],
        /^quarterdeck: costs: prices\.json is not a valid price history: .* \(\S+\/damaged-prices\)$/
      ],
      [
        "prices of another shape",
        ({ at, clusters }) => [...clusters, "--data", at("other-prices")],
        /^quarterdeck: costs: prices\.json is not a valid price history: .* \(\S+\/other-prices\)$/
      ],
      [
        "a cost store that does not answer",
        ({ flags }) => [...flags, "--cost-url", "http://writer:s3cret@127.0.0.1:9/costs"],
        /^quarterdeck: costs: (?!.*s3cret).*ECONNREFUSED 127\.0\.0\.1:9$/
      ],
      [
        "a keys file that is not there",
        ({ at, flags }) => [...flags, "--keys-file", at("none.yaml")],
        /^quarterdeck: .*none\.yaml/
      ],
      [
        "a certificate that is not there",
        ({ at, flags }) => [...flags, "--tls-cert-file", at("none.pem"), "--tls-key-file", at("none.pem")],
        /^quarterdeck: server\.tls: .*none\.pem/
      ]
    ]

  it.effect.each(REFUSED)(
    "refuses to start with %s, in one line",
    ([, given, line]) =>
      Effect.gen(function* () {
        const { at, flags, home } = yield* own()
        yield* writeUnusable(at)
        const place = { at, flags, clusters: flags.slice(0, 4), data: ["--port", "0", "--data", at("data")] }
        const { status, stderr } = yield* quarterdeck(["serve", ...given(place)], { env: { HOME: home } })
        const told = stderr.split("\n").filter((text) => text.startsWith("quarterdeck: "))
        assert.lengthOf(told, 1, stderr)
        assert.match(told[0] ?? "", line)
        assert.notMatch(stderr, /\n\s+at /)
        assert.strictEqual(status, 1)
      }),
    { timeout: 120_000 }
  )
})

/** A port that another program listens on. */
const takenPort = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
).pipe(
  Effect.map((server) => {
    const address = server.address()
    return address !== null && typeof address === "object" ? address.port : 0
  })
)
