/** What an Operator is told when a cluster refuses a change, or its answer is lost. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect, Fiber, Option } from "effect"
import { request } from "node:https"
import { act, at, make, objectOf, prepare, refusedAct, versionOf } from "./actedOn.ts"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { partsOf, plainServer, register } from "./registered.ts"

const PATCHES = { match: { verbs: ["patch"] } } as const
const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop" } as const

const inject = (fault: Fault.Fault) =>
  Effect.flatMap(Deployment, ({ fleet }) => Effect.flatMap(fleet.cluster("prod"), (prod) => prod.inject(fault)))

/** How many changes have come to the cluster. */
const changes = Effect.gen(function* () {
  const { faults } = yield* (yield* Deployment).fleet.cluster("prod")
  const { requests } = yield* Option.getOrThrow(faults).counters
  return requests.get("patch deployments/scale") ?? 0
})

const replicasOf = (name: string) =>
  Effect.map(objectOf("Deployment", name), (object) => at(object, "spec", "replicas"))

onOneDriver(
  "answers to actions that are lost",
  {
    children: ["prod"],
    faults: true,
    options: { fanOut: { timeoutMs: 1_500, maxTimeoutMs: 1_500 } },
    prepare: (fleet) => Effect.flatMap(fleet.cluster("prod"), prepare)
  },
  (it) => {
    it.effect.each<[string, Fault.Fault]>([
      ["breaks off", Fault.truncatedReply({ ...PATCHES, afterBytes: 10 })],
      ["is no JSON", Fault.malformedJson(PATCHES)],
      ["comes too late", Fault.slowReply({ ...PATCHES, bodyAfterMs: 60_000 })]
    ])("a change that was made is told as applied though its answer %s", ([what, fault]) =>
      Effect.gen(function* () {
        const name = `made-${what.toLowerCase().replaceAll(" ", "-")}`
        const path = yield* make("Deployment", name)
        yield* inject(fault)
        const before = yield* changes
        const done = yield* act(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(done, { status: "applied", before: { replicas: 1 }, after: { replicas: 3 } })
        assert.isAtMost(Number(done.resourceVersion), Number(versionOf(yield* objectOf("Deployment", name))))
        assert.strictEqual(yield* replicasOf(name), 3)
        assert.strictEqual((yield* changes) - before, 1, "the change was sent again")
      }).pipe(Effect.scoped)
    )

    it.effect.each<[string, Fault.Fault, number, Code]>([
      ["is reset", Fault.resetReply(PATCHES), 502, "cluster_unreachable"],
      ["is a 500", Fault.serverError(PATCHES), 502, "cluster_unreachable"],
      ["is a 503 of a load balancer", Fault.serverError({ ...PATCHES, status: 503 }), 502, "cluster_unreachable"],
      ["is 401", Fault.unauthorized(PATCHES), 502, "cluster_unreachable"],
      ["is 429", Fault.tooManyRequests(PATCHES), 503, "cluster_throttled"]
    ])("a change that was not made is told as such when its answer %s", ([what, fault, status, code]) =>
      Effect.gen(function* () {
        const name = `unmade-${what.replaceAll(" ", "-")}`
        const path = yield* make("Deployment", name)
        yield* inject(fault)
        const before = yield* changes
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(problem, { status, code })
        assert.match(problem.detail, /; nothing was changed$/)
        assert.strictEqual(problem.clusters?.[0]?.name, "prod")
        assert.strictEqual(yield* replicasOf(name), 1)
        // A credential that is refused may be renewed, and the change sent with that one.
        if (code !== "cluster_unreachable" || !what.includes("401")) assert.strictEqual((yield* changes) - before, 1)
      }).pipe(Effect.scoped)
    )

    it.effect("is unknown when somebody else changed the workload meanwhile", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "contended")
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        yield* inject(Fault.resetReply(PATCHES))
        const before = yield* changes
        const acting = yield* Effect.forkChild(refusedAct(`${path}/scale`, { replicas: 3 }))
        yield* eventually("the change was sent", changes, (count) => count > before)
        yield* api.patch({ ...DEPLOYMENT, name: "contended" }, { spec: { replicas: 7 } })
        const problem = yield* Fiber.join(acting)
        assert.deepInclude(problem, { status: 504, code: "outcome_unknown" })
        assert.strictEqual(yield* replicasOf("contended"), 7)
      }).pipe(Effect.scoped)
    )

    it.effect("a dry run whose answer is lost changed nothing, and is not looked into", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "tried")
        yield* inject(Fault.truncatedReply(PATCHES))
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 3, dryRun: true })
        assert.deepInclude(problem, { status: 502, code: "cluster_unreachable" })
      }).pipe(Effect.scoped)
    )

    it.effect("what a cluster forbids is 502, with what it said", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "forbidden")
        yield* inject(Fault.forbidden(PATCHES))
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(problem, { status: 502, code: "cluster_forbids" })
        assert.include(problem.detail, 'cannot patch resource "deployments/scale"')
        assert.strictEqual(yield* replicasOf("forbidden"), 1)
      }).pipe(Effect.scoped)
    )

    it.effect("a cluster that does not answer is told as of lists, and nothing is sent", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "dead")
        const before = yield* changes
        yield* inject(Fault.cut)
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 3 })
        assert.deepInclude(problem, { status: 502, code: "cluster_unreachable" })
        assert.strictEqual(yield* changes, before)
      }).pipe(Effect.scoped)
    )
  }
)

onOneDriver(
  "changes that a proxy holds back",
  {
    children: ["prod"],
    options: { clusters: { allowLoopback: true }, fanOut: { timeoutMs: 1_500, maxTimeoutMs: 1_500 } },
    kubeconfig: (fleet) => Effect.succeed(fleet.parent.kubeconfig),
    prepare: (fleet) => Effect.flatMap(fleet.cluster("prod"), prepare)
  },
  (it) => {
    it.effect("are not said to be undone, for they may be passed on later", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "held")
        const parts = yield* partsOf("prod")
        const held: Array<() => void> = []
        const proxy = yield* plainServer((incoming, outgoing) => {
          const { host: _, ...headers } = incoming.headers
          const url = `${parts.server}${incoming.url}`
          const body: Array<Buffer> = []
          const pass = () => {
            const passed = request(url, { method: incoming.method, headers, rejectUnauthorized: false }, (reply) => {
              outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
              reply.pipe(outgoing)
            })
            passed.on("error", () => outgoing.destroy())
            passed.end(Buffer.concat(body))
          }
          incoming.on("data", (piece: Buffer) => body.push(piece))
          incoming.on("end", () => {
            if (incoming.method === "PATCH") held.push(pass)
            else pass()
          })
        })
        yield* register({ ...parts, server: proxy.server })
        const problem = yield* refusedAct(`${path}/scale`, { replicas: 7 })
        assert.deepInclude(problem, { status: 504, code: "outcome_unknown" })
        assert.strictEqual(yield* replicasOf("held"), 1)
        for (const pass of held) pass()
        yield* eventually("it is passed on", replicasOf("held"), (replicas) => replicas === 7)
      }).pipe(Effect.scoped)
    )
  }
)
