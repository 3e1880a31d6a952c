/** What becomes of a change whose caller leaves in the middle of it. */
import { assert } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { eventually, Fault } from "@quarterdeck/harness"
import { Effect, Fiber, Option, Schema } from "effect"
import { at, make, objectOf, prepare } from "./actedOn.ts"
import { Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(AuditList), { onExcessProperty: "error" })

const CHANGE = { verbs: ["patch"], resources: ["deployments/scale"] } as const
const READ = { verbs: ["get"], resources: ["deployments"] } as const

const requests = (what: string) =>
  Effect.gen(function* () {
    const { faults } = yield* (yield* Deployment).fleet.cluster("prod")
    return (yield* Option.getOrThrow(faults).counters).requests.get(what) ?? 0
  })

/** What the audit tells of a request: its second event is the outcome. */
const eventsOf = (requestId: string) =>
  Effect.gen(function* () {
    const { call } = yield* Deployment
    const { events } = yield* decode((yield* call("/api/v1/audit?limit=5000", { key: "admin" })).text)
    return events.filter((event) => event.requestId === requestId).toReversed()
  })

/** Scales under a fault, leaves once so much was asked of the cluster, and gives what the audit told in the end. */
const leaving = Effect.fnUntraced(function* (name: string, { fault, once }: { fault: Fault.Fault; once: string }) {
  const deployment = yield* Deployment
  const path = yield* make("Deployment", name)
  const prod = yield* deployment.fleet.cluster("prod")
  yield* prod.inject(fault)
  const before = yield* requests(once)
  const call = deployment.call(`${path}/scale`, {
    method: "POST",
    key: "operator",
    body: { replicas: 3 },
    headers: [["X-Request-Id", name]]
  })
  const calling = yield* Effect.forkChild(call)
  yield* eventually(`${once} came to the cluster`, requests(once), (count) => count > before)
  yield* Fiber.interrupt(calling)
  const [begun, ended, ...more] = yield* eventually(
    `the outcome of ${name} is in the audit`,
    eventsOf(name),
    (events) => events.length >= 2
  )
  assert.lengthOf(more, 0)
  assert.strictEqual(begun?.status, 0)
  return { status: ended?.status, code: ended?.code, clusters: ended?.target.clusters, decision: ended?.decision }
})

const replicasOf = (name: string) =>
  Effect.map(objectOf("Deployment", name), (object) => at(object, "spec", "replicas"))

onOneDriver(
  "a caller that leaves",
  {
    children: ["prod"],
    faults: true,
    options: { fanOut: { timeoutMs: 1_500, maxTimeoutMs: 1_500 } },
    prepare: (fleet) => Effect.flatMap(fleet.cluster("prod"), prepare)
  },
  (it) => {
    it.effect.each<[string, string, Fault.Fault, object, number]>([
      [
        "made",
        "is answered late",
        Fault.slowReply({ match: CHANGE, bodyAfterMs: 700 }),
        { status: 200, code: undefined },
        3
      ],
      [
        "made",
        "is never answered",
        Fault.slowReply({ match: CHANGE, bodyAfterMs: 60_000 }),
        { status: 200, code: undefined },
        3
      ],
      [
        "not made",
        "is answered by a reset",
        Fault.resetReply({ match: CHANGE }),
        { status: 502, code: "cluster_unreachable" },
        1
      ]
    ])("a change that was %s, and %s, is in the audit with its outcome", ([made, answered, fault, outcome, replicas]) =>
      Effect.gen(function* () {
        const name = `left-${made} ${answered}`.replaceAll(" ", "-")
        const before = yield* requests("patch deployments/scale")
        const told = yield* leaving(name, { fault, once: "patch deployments/scale" })
        assert.deepStrictEqual(told, {
          ...{ status: 0, code: undefined },
          ...outcome,
          clusters: ["prod"],
          decision: "allow"
        })
        assert.strictEqual(yield* replicasOf(name), replicas)
        assert.strictEqual((yield* requests("patch deployments/scale")) - before, 1, "the change was sent again")
      }).pipe(Effect.scoped)
    )

    it.effect("before anything was sent, has nothing changed", () =>
      Effect.gen(function* () {
        const before = yield* requests("patch deployments/scale")
        const told = yield* leaving("left-before", {
          fault: Fault.slowReply({ match: READ, bodyAfterMs: 60_000 }),
          once: "get deployments"
        })
        assert.deepInclude(told, { status: 499, code: undefined })
        assert.strictEqual(yield* requests("patch deployments/scale"), before)
      }).pipe(Effect.scoped)
    )
  }
)
