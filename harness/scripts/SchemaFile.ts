/**
 * Writes the schemas of the built-in kinds of embedded clusters, read from a real API server's `/openapi/v3`. With
 * `--check` it fails if the file differs from that server's schemas.
 *
 * Run `node --conditions=@quarterdeck/source scripts/SchemaFile.ts [--check]` in the harness's directory after a change of the
 * Kubernetes release or of the table of kinds. It needs the programs of the control-plane driver.
 *
 * Each line is `["name",schema]`, sorted by name.
 */
import { BuiltinSchemas, Resources } from "@quarterdeck/embedded-cluster"
import { Console, Effect, Redacted } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import type { RunningCluster } from "../src/drivers/ClusterDriver.ts"
import * as ControlPlane from "../src/drivers/control-plane/ControlPlane.ts"
import { isObject, type Json, type JsonObject, objectAt, parse, without } from "@quarterdeck/embedded-cluster/Json"
import { make as connect } from "../src/client/ApiTransport.ts"

const KINDS = "x-kubernetes-group-version-kind"

/** Schemas that differ between documents only because each document lists its own group in them. */
const OF_EVERY_GROUP = new Set([
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"
])

const paths = [
  ...new Set(Resources.all.map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`)))
]

/** Returns the text of the file for a cluster. */
export const generate = Effect.fnUntraced(function* (cluster: RunningCluster, token: Redacted.Redacted<string>) {
  const transport = yield* connect({ cluster: cluster.name, server: cluster.server, caPem: cluster.caPem })
  const schemas = new Map<string, JsonObject>()
  for (const path of paths) {
    const reply = yield* transport.call({ method: "GET", path: `/openapi/v3/${path}` }, token)
    for (const [name, schema] of Object.entries(objectAt(parse(reply.text), "components", "schemas"))) {
      if (isObject(schema)) schemas.set(name, OF_EVERY_GROUP.has(name) ? without(schema, KINDS) : schema)
    }
  }
  const lines = [...schemas].toSorted(([left], [right]) => (left < right ? -1 : 1))
  return lines.map((line: readonly [string, Json]) => `${JSON.stringify(line)}\n`).join("")
})

/** The file as it stands, empty where there is none. */
export const present = Effect.promise(() => readFile(BuiltinSchemas.FILE, "utf8").catch(() => ""))

const main = Effect.gen(function* () {
  const token = Redacted.make("generate")
  const admin = { name: "admin", groups: ["system:masters"], token }
  const cluster = yield* ControlPlane.driver.start({ name: "openapi", users: [admin] })
  const text = yield* generate(cluster, token)
  if (!process.argv.includes("--check")) return yield* Effect.promise(() => writeFile(BuiltinSchemas.FILE, text))
  if (text === (yield* present)) return
  yield* Console.error(`${BuiltinSchemas.FILE} is stale: run scripts/SchemaFile.ts in the harness`)
  process.exitCode = 1
})

if (import.meta.main) await Effect.runPromise(Effect.scoped(main))
