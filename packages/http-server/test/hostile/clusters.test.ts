/**
 * Holds what clusters, their Secrets and kubeconfigs may hold to a bound of processor time and memory.
 */
import { assert, describe, layer } from "@effect/vitest"
import { eventually } from "@quarterdeck/harness"
import { Context, Effect, Layer } from "effect"
import { asAdmin, HostileServer } from "./HostileServer.ts"
import { shapes } from "./HostileShapes.ts"

const LONG = 200_000
/** Length of the texts in Secrets and kubeconfigs, of which there are many. */
const REGISTERED = 60_000
/** Processor time of one request for one object. A quadratic scanner takes seconds for such a text. */
const PROCESSOR_MS = 60
const GROWTH_BYTES = 256 * 2 ** 20
/** Processor time of a start with them, in starts without them. Reading a quadratic text would take minutes. */
const START_RATIO = 3

const deployment = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default", labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image: "acme/app:1" }] } }
  }
})

const nameOf = (shape: string): string => shape.toLowerCase().replaceAll(" ", "-")

layer(HostileServer.layer(), { timeout: "60 seconds", excludeTestServices: true })("a hostile cluster", (it) => {
  it.effect(
    "stops the server by no long message of a condition or an event",
    () =>
      Effect.gen(function* () {
        const { api, requestMs, residentBytes, send } = yield* HostileServer
        const before = yield* residentBytes
        const dear: Array<unknown> = []
        for (const [shape, text] of shapes(LONG)) {
          const name = nameOf(shape)
          const made = yield* api.create(deployment(name))
          const at = "2026-01-01T00:00:00Z"
          const condition = { type: "Available", status: "False", reason: "Odd", message: text, lastUpdateTime: at }
          yield* api.replace({ ...made, status: { observedGeneration: 1, conditions: [condition] } }, "status")
          yield* api.create({
            apiVersion: "v1",
            kind: "Event",
            metadata: { name, namespace: "default" },
            involvedObject: { kind: "Deployment", name, namespace: "default", apiVersion: "apps/v1" },
            type: "Warning",
            reason: "Odd",
            message: text,
            firstTimestamp: at,
            lastTimestamp: at
          })
          const path = `/api/v1/workloads/hub/default/Deployment/${name}`
          for (const asked of [path, `/api/v1/events?regarding=Deployment/${name}`, "/api/v1/workloads"]) {
            const one = send({ path: asked, headers: asAdmin })
            yield* eventually(`${asked} is answered`, one, (status) => status === 200, { within: "20 seconds" })
            const ms = yield* requestMs(one, PROCESSOR_MS)
            if (ms > PROCESSOR_MS) dear.push({ shape, asked, ms })
          }
        }
        assert.deepStrictEqual(dear, [])
        assert.isBelow((yield* residentBytes) - before, GROWTH_BYTES)
      }),
    { timeout: 120_000 }
  )

  it.effect(
    "takes no long time for lists of objects with many labels",
    () =>
      Effect.gen(function* () {
        const { api, requestMs, send } = yield* HostileServer
        const labels = Object.fromEntries(
          Array.from({ length: 400 }, (_, index) => [`junk.test/l${index}`, "v".repeat(63)])
        )
        for (let index = 0; index < 40; index++) yield* api.create(deployment(`labelled-${index}`, labels))
        const list = send({ path: "/api/v1/workloads?limit=5000&consistency=live&timeoutMs=20000", headers: asAdmin })
        assert.strictEqual(yield* list, 200)
        assert.isBelow(yield* requestMs(list, 399), 400)
      }),
    { timeout: 120_000 }
  )
})

/** What Argo CD keeps of a cluster, with a long name, address and token. */
const secret = (shape: string, text: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: nameOf(shape),
    namespace: "default",
    labels: { "argocd.argoproj.io/secret-type": "cluster" }
  },
  data: {
    name: Buffer.from(text).toString("base64"),
    server: Buffer.from(`https://${text}`).toString("base64"),
    config: Buffer.from(JSON.stringify({ bearerToken: text })).toString("base64")
  }
})

const PREFIX = "apiVersion: v1\nkind: Config\n"

/** Nine aliases of the level below at each level: 9^60 values when they are expanded. */
const LEVELS = Array.from({ length: 60 }, (_, level) => {
  const below = level === 0 ? "a" : `b${level - 1}`
  return `b${level}: &b${level} [${`*${below}, `.repeat(9)}]`
})
const CONTEXTS = Array.from({ length: 5_000 }, (_, index) => `- {name: c${index}, context: {cluster: c, user: u}}`)

/** Kubeconfigs of some hundred KB that readers of YAML find hard. */
const KUBECONFIGS = [
  `${PREFIX}clusters: ${"[".repeat(20_000)}`,
  `${PREFIX}clusters: ${"{a: ".repeat(20_000)}`,
  `${PREFIX}a: &a [x]\n${LEVELS.join("\n")}\n`,
  `${PREFIX}a: &a {x: y}\nclusters:\n${"- <<: *a\n".repeat(20_000)}`,
  `${PREFIX}contexts:\n${CONTEXTS.join("\n")}\n`,
  ...shapes(REGISTERED).flatMap(([, text]) => [
    `${PREFIX}clusters: [{ name: c, cluster: { server: ${JSON.stringify(text)} } }]\n`,
    `${PREFIX}contexts: [{ name: ${JSON.stringify(text)}, context: { cluster: c, user: u } }]\n`
  ]),
  "---\n".repeat(20_000),
  `${PREFIX}${"# comment\n".repeat(20_000)}`,
  `${PREFIX}text: |\n${"  line\n".repeat(20_000)}`
]

describe("hostile registrations", () => {
  layer(
    HostileServer.layer({
      argoSecrets: ["default"],
      kubeconfigs: KUBECONFIGS,
      prepare: (api) => Effect.forEach(shapes(REGISTERED), ([shape, text]) => api.create(secret(shape, text)))
    }),
    { timeout: "90 seconds", excludeTestServices: true }
  )((it) => {
    it.effect(
      "Secrets and kubeconfigs of any shape keep the server neither from starting nor from answering",
      () =>
        Effect.gen(function* () {
          const { requestMs, send, startMs } = yield* HostileServer
          const ordinary = yield* Effect.scoped(
            Effect.map(Layer.build(HostileServer.layer()), (built) => Context.get(built, HostileServer).startMs)
          )
          assert.isBelow(startMs, START_RATIO * ordinary)
          const readyz = send({ path: "/readyz", headers: asAdmin })
          assert.isBelow(yield* requestMs(readyz, 249), 250)
        }),
      { timeout: 120_000 }
    )
  })
})
