/** Many workloads changed by the command line, in clusters of which one is dead. */
import { assert } from "@effect/vitest"
import { eventually, Fault, type Fleet } from "@quarterdeck/harness"
import { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Schema } from "effect"
import { quarterdeck } from "../cli/program.ts"
import { at, type MadeKind, prepare, workloadOf } from "./actedOn.ts"
import { Deployment, type KeyName, rawKey, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, prepare, { discard: true })

/** Makes a workload, and waits until the service lists it. */
const make = Effect.fnUntraced(function* (
  cluster: string,
  name: string,
  { kind = "Deployment", namespace = "shop" }: { kind?: MadeKind; namespace?: string } = {}
) {
  const deployment = yield* Deployment
  const { api } = yield* deployment.fleet.cluster(cluster)
  yield* api.create(workloadOf(kind, name, namespace, { app: name }))
  yield* eventually(
    `${name} is listed in ${cluster}`,
    deployment.workloads(`?name=${name}&namespace=${namespace}`, { headers: to(cluster) }),
    ({ workloads }) => workloads.length === 1
  )
})

const objectOf = Effect.fnUntraced(function* (cluster: string, name: string, namespace: string = "shop") {
  const { api } = yield* (yield* Deployment).fleet.cluster(cluster)
  return yield* api.get({ apiVersion: "apps/v1", kind: "Deployment", name, namespace })
})
const replicasOf = (...named: Parameters<typeof objectOf>) =>
  Effect.map(objectOf(...named), (object) => at(object, "spec", "replicas"))

interface Typing {
  readonly key?: KeyName
  readonly answer?: string
}

const type = Effect.fnUntraced(function* (args: ReadonlyArray<string>, { answer, key = "operator" }: Typing = {}) {
  const env = { QUARTERDECK_URL: (yield* Deployment).url, QUARTERDECK_API_KEY: rawKey(key) }
  return yield* quarterdeck(args, { env, ...(answer === undefined ? {} : { stdin: answer, isTerminal: true }) })
})

const Outcomes = Schema.Struct({ outcomes: Schema.Array(BulkOutcome) })
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Outcomes), { onExcessProperty: "error" })

const lines = (text: string) => text.trim().split("\n")
/** The cells of a table's rows, without its titles. */
const cells = (text: string) =>
  lines(text)
    .slice(1)
    .map((line) => line.split(/ {2,}/))

onOneDriver("many workloads by the command line", { faults: true, prepare: fill }, (it) => {
  it.effect("shows what would change, and changes nothing, with --dry-run", () =>
    Effect.gen(function* () {
      yield* make("prod", "dry")
      yield* make("stage", "dry")
      const before = [yield* objectOf("prod", "dry"), yield* objectOf("stage", "dry")]
      const args = [
        "scale",
        "deploy",
        "-l",
        "app=dry",
        "--replicas",
        "3",
        "-n",
        "shop",
        "-c",
        "prod|stage",
        "--dry-run"
      ]
      const { status, stderr, stdout } = yield* type(args)
      assert.deepStrictEqual(cells(stdout), [
        ["prod", "shop", "Deployment", "dry", "replicas 1 -> 3", "would be applied"],
        ["stage", "shop", "Deployment", "dry", "replicas 1 -> 3", "would be applied"]
      ])
      assert.deepStrictEqual([stderr, status], ["quarterdeck: nothing was changed\n", 0])
      assert.deepStrictEqual([yield* objectOf("prod", "dry"), yield* objectOf("stage", "dry")], before)
    })
  )

  it.effect("asks on a terminal behind what would change, and changes what was agreed to", () =>
    Effect.gen(function* () {
      yield* make("prod", "asked")
      yield* make("prod", "asked", { namespace: "payments" })
      yield* make("hub", "asked", { kind: "StatefulSet" })
      const args = ["pause", "deploy,sts", "-l", "app=asked", "-A", "-c", "*"]
      const no = yield* type(args, { answer: "n\n" })
      assert.deepStrictEqual([no.stdout, no.status], ["", 1])
      assert.match(no.stderr, /hub +shop +StatefulSet +asked +pause +refused: action_unsupported\n/)
      assert.match(
        no.stderr,
        /pause 2 workloads in 1 cluster, and leave out 1\? \[y\/N\] quarterdeck: nothing was changed\n$/
      )
      assert.isUndefined(at(yield* objectOf("prod", "asked"), "spec", "paused"))

      const yes = yield* type(args, { answer: "y\n" })
      const done = cells(yes.stdout)
      assert.sameDeepMembers(done, [
        ["prod", "payments", "Deployment", "asked", "pause", "applied"],
        ["prod", "shop", "Deployment", "asked", "pause", "applied"]
      ])
      assert.match(
        yes.stderr,
        /quarterdeck: 2 applied, 1 refused\nquarterdeck: 1 of 3 were not changed or cannot be: see RESULT/
      )
      assert.strictEqual(yes.status, 1)
      for (const namespace of ["shop", "payments"]) {
        assert.isTrue(at(yield* objectOf("prod", "asked", namespace), "spec", "paused"))
      }
    })
  )

  it.effect("changes the others where a cluster is dead, and fails", () =>
    Effect.gen(function* () {
      for (const cluster of ["hub", "prod", "stage"]) yield* make(cluster, "wide")
      const stage = yield* (yield* Deployment).fleet.cluster("stage")
      const args = ["scale", "deployment/wide", "--replicas", "2", "-n", "shop", "-c", "*", "--yes", "-o", "json"]
      const { status, stderr, stdout } = yield* Effect.scoped(Effect.andThen(stage.inject(Fault.cut), type(args)))
      const { outcomes } = yield* decode(stdout)
      assert.deepStrictEqual(
        outcomes.map(({ cluster, code, status }) => [cluster, status, code]),
        [
          ["hub", "applied", undefined],
          ["prod", "applied", undefined],
          ["stage", "failed", "cluster_unreachable"]
        ]
      )
      assert.include(
        stderr,
        "quarterdeck: 2 applied, 1 failed\nquarterdeck: 1 of 3 were not changed or cannot be: see RESULT"
      )
      assert.strictEqual(status, 1)
      assert.deepStrictEqual(
        yield* Effect.forEach(["hub", "prod", "stage"], (cluster) => replicasOf(cluster, "wide")),
        [2, 2, 1]
      )
    })
  )

  it.effect("keeps to what the key reaches, and says where nothing matches", () =>
    Effect.gen(function* () {
      yield* make("prod", "reached")
      yield* make("prod", "reached", { namespace: "payments" })
      const args = ["restart", "deploy", "-l", "app=reached", "-A", "-c", "prod", "--yes"]
      const { status, stderr, stdout } = yield* type(args, { key: "shopOperator" })
      assert.deepStrictEqual(cells(stdout), [["prod", "shop", "Deployment", "reached", "restart", "applied"]])
      assert.deepStrictEqual([stderr, status], ["quarterdeck: 1 applied\n", 0])

      const none = yield* type(["restart", "deploy", "-l", "app=nobody", "-c", "prod", "--yes"])
      assert.deepStrictEqual(
        [none.stdout, none.stderr, none.status],
        [
          "",
          "quarterdeck: no workloads match (asked: prod ok); searched namespace default: --namespace and --all-namespaces search others\n",
          1
        ]
      )
      const viewer = yield* type(args, { key: "viewer" })
      assert.match(viewer.stderr, /HTTP 403, code role_forbidden/)
      assert.strictEqual(viewer.status, 1)
    })
  )
})
