import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import type { Connection } from "@quarterdeck/cluster-fanout/Cluster"
import type { Hour } from "@quarterdeck/cost"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Embedded, eventually, Fleet, type FleetCluster } from "@quarterdeck/harness"
import { Context, Effect, FileSystem, Layer, Path, Redacted, Schema } from "effect"
import type { Server } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { Inventory } from "../src/Inventory.ts"
import { Meter } from "../src/Meter.ts"
import { start } from "../src/platform.ts"
import { halfUsed } from "./halfUsed.ts"

const connectionTo = Effect.fnUntraced(function* (cluster: FleetCluster.FleetCluster) {
  const connection: Connection = {
    server: cluster.server,
    certificateAuthority: { _tag: "Data", pem: Redacted.make(cluster.caPem) },
    insecureSkipTlsVerify: false,
    credential: { _tag: "Token", token: yield* cluster.token("admin") }
  }
  return connection
})

/** A platform that serves, and its clusters. */
class Host extends Context.Service<
  Host,
  {
    readonly ask: (path: string, options?: { readonly key?: string; readonly body?: unknown }) => Effect.Effect<Answer>
    readonly fleet: Fleet["Service"]
    readonly inventory: Inventory
    readonly database: DatabaseSync
    readonly billed: ReadonlyArray<Hour.Hour>
    readonly pastMs: number
    readonly files: (directory: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@quarterdeck/example-embed-own-parts/Host") {}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const listening = (open: () => Server) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const server = open()
      server.once("listening", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/quarterdeck`
    })
  )

const host = Layer.effect(
  Host,
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-platform-" })
    const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(path.join(directory, "platform.sqlite"))),
      (open) => Effect.sync(() => open.close())
    )
    const inventory = new Inventory("hub", yield* connectionTo(fleet.parent))
    const meter = new Meter()
    const pastMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 4 * HOUR_MS
    for (const startMs of [pastMs, pastMs + HOUR_MS]) meter.record(halfUsed(startMs))
    const billed: Array<Hour.Hour> = []
    const { app } = yield* Effect.acquireRelease(
      Effect.promise(() => start({ database, inventory, meter, bill: (hour) => billed.push(hour), directory })),
      ({ dispose }) => Effect.promise(dispose)
    )
    const url = yield* listening(() => app.listen(0, "127.0.0.1"))
    const firstKey = (yield* files.readFileString(path.join(directory, "first-key"))).trim()
    return Host.of({
      fleet,
      inventory,
      database,
      billed,
      pastMs,
      files: (name) => files.readDirectory(path.join(directory, name)).pipe(Effect.orDie),
      ask: (route, { body, key = firstKey } = {}) =>
        Effect.promise(async (signal) => {
          const response = await fetch(`${url}${route}`, {
            signal,
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
          })
          const answer: Answer = { status: response.status, body: await response.json() }
          return answer
        })
    })
  })
)

const ask = (...call: Parameters<Host["Service"]["ask"]>) => Effect.flatMap(Host, (one) => one.ask(...call))

const read = <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) =>
  Schema.decodeUnknownEffect(schema)
const Created = Schema.Struct({ apiKey: Schema.Struct({ id: Schema.String }), key: Schema.String })
const Clusters = Schema.Struct({
  clusters: Schema.Array(Schema.Struct({ name: Schema.String, role: Schema.String, reachable: Schema.Boolean }))
})
const Costs = Schema.Struct({
  aggregatedWorkloads: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      totalCost: Schema.Finite,
      cpuCoreHours: Schema.Finite,
      cpuEfficiency: Schema.NullOr(Schema.Finite),
      hoursCovered: Schema.Finite
    })
  )
})

const clusters = Effect.gen(function* () {
  const answer = yield* ask("/api/v1/clusters")
  const { clusters: found } = yield* read(Clusters)(answer.body)
  return found.map(({ name, reachable, role }) => `${name} ${role} ${reachable}`)
})

describe("a platform with parts of its own", () => {
  layer(host.pipe(Layer.provide(NodeServices.layer), Layer.orDie), { excludeTestServices: true })((it) => {
    it.effect("keeps the keys that it makes in its own database, and lets nobody in by one that is revoked there", () =>
      Effect.gen(function* () {
        const { database, files } = yield* Host
        const made = yield* ask("/api/v1/apiKeys", { body: { name: "ci", rule: { role: "Viewer" } } })
        assert.strictEqual(made.status, 201)
        const { apiKey, key } = yield* read(Created)(made.body)
        assert.strictEqual((yield* ask("/api/v1/whoami", { key })).status, 200)
        const rows = database.prepare("SELECT id FROM api_keys").all()
        assert.include(
          rows.map((row) => row["id"]),
          apiKey.id
        )
        database
          .prepare("UPDATE api_keys SET key = json_set(key, '$.revokedAt', '2026-01-01T00:00:00.000Z') WHERE id = ?")
          .run(apiKey.id)
        yield* eventually("the key is refused", ask("/api/v1/whoami", { key }), ({ status }) => status === 401)
        // Sessions of the pages are no keys: they stay with the service.
        assert.include(yield* files("quarterdeck"), "keys.sqlite")
      })
    )

    it.effect("has clusters that come and go with its inventory", () =>
      Effect.gen(function* () {
        const { fleet, inventory } = yield* Host
        assert.deepStrictEqual(
          yield* eventually("the parent is reached", clusters, (found) => found[0] === "hub parent true"),
          ["hub parent true"]
        )
        const [prod] = fleet.children
        assert(prod !== undefined)
        inventory.register("prod", yield* connectionTo(prod))
        assert.deepStrictEqual(
          yield* eventually("the child is reached", clusters, (found) => found.includes("prod child true")),
          ["hub parent true", "prod child true"]
        )
        inventory.remove("prod")
        assert.deepStrictEqual(yield* clusters, ["hub parent true"])
      })
    )

    it.effect("charges the hours that it has metered, and bills each of them once", () =>
      Effect.gen(function* () {
        const { billed, files, pastMs } = yield* Host
        const report = ask("/detailedCostReport/getWorkloads?range=1d", { body: { namespaces: ["shop"] } }).pipe(
          Effect.flatMap(({ body }) => read(Costs)(body)),
          Effect.map(({ aggregatedWorkloads }) => aggregatedWorkloads)
        )
        const [cart, ...others] = yield* eventually(
          "both hours are charged",
          report,
          ([row]) => row !== undefined && row.hoursCovered === 2
        )
        assert.deepStrictEqual(others, [])
        assert(cart !== undefined)
        assert.strictEqual(cart.id, "hub/shop/Deployment/cart")
        assert.deepStrictEqual([cart.cpuCoreHours, cart.cpuEfficiency], [1, 0.5])
        assert.approximately(cart.totalCost, 2 * 0.024_279_5, 1e-9)
        assert.deepStrictEqual(
          billed.map(({ cluster, startMs }) => [cluster, startMs]),
          [
            ["hub", pastMs],
            ["hub", pastMs + HOUR_MS]
          ]
        )
        assert.include(yield* files("billing"), "cost.sqlite")
      })
    )
  })
})
