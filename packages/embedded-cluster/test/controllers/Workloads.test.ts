import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { arrayAt, at, type Json, type JsonObject, textAt } from "../../src/core/Json.ts"
import { deployment, namesOf, patching, started } from "../Client.ts"
import { APPS, BATCH, cluster, condition, NAMESPACE, node, PODS } from "./Machine.ts"

const selecting = (name: string, spec: JsonObject = {}): JsonObject => ({
  selector: { matchLabels: { app: name } },
  template: {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "main", image: "registry.example/app:1" }], ...spec }
  }
})
const once = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } }, ...spec }
})
const phase = (value: string) => patching({ status: { phase: value } })
const nameOf = (object: Json | undefined): string => textAt(object, "metadata", "name")
const labelOf = (object: Json | undefined, label: string): string => textAt(object, "metadata", "labels", label)
const JOBS = `${BATCH}/jobs`

describe("stateful sets", () => {
  it.live("create pods in order, each with its claim, and delete them in reverse order", () =>
    Effect.gen(function* () {
      const { call, items, until, untilItems } = yield* cluster({ kubelet: false })
      const set = `${APPS}/statefulsets/db`
      const claims = [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
        }
      ]
      yield* call("POST", `${APPS}/statefulsets`, {
        body: {
          metadata: { name: "db" },
          spec: { replicas: 3, serviceName: "db", ...selecting("db"), volumeClaimTemplates: claims }
        }
      })
      const run = (name: string) =>
        call(
          "PATCH",
          `${PODS}/${name}/status`,
          patching({ status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } })
        )
      for (const index of [0, 1, 2]) {
        yield* untilItems(
          `pod ${index} is bound`,
          PODS,
          (pods) => textAt(pods.at(-1), "spec", "nodeName") !== "" && pods.length === index + 1
        )
        yield* run(`db-${index}`)
      }
      yield* until("all are ready", set, (one) => at(one, "status", "readyReplicas") === 3)
      const volumes = yield* items(`${NAMESPACE}/persistentvolumeclaims`)
      assert.deepStrictEqual(volumes.map(nameOf), ["data-db-0", "data-db-1", "data-db-2"])
      assert.isTrue(volumes.every((claim) => textAt(claim, "status", "phase") === "Bound"))
      const [first] = yield* items(PODS)
      assert.include(JSON.stringify(at(first, "spec", "volumes")), '"claimName":"data-db-0"')
      assert.strictEqual(textAt(first, "spec", "hostname"), "db-0")

      yield* call("PATCH", set, patching({ spec: { replicas: 1 } }))
      for (const index of [2, 1]) {
        yield* until(
          `pod ${index} is marked for deletion`,
          `${PODS}/db-${index}`,
          (one) => at(one, "metadata", "deletionTimestamp") !== undefined
        )
        assert.isUndefined(at((yield* call("GET", `${PODS}/db-${index - 1}`)).json, "metadata", "deletionTimestamp"))
        yield* call("DELETE", `${PODS}/db-${index}?gracePeriodSeconds=0`)
      }
      yield* until("one is left", set, (one) => at(one, "status", "replicas") === 1)
      assert.lengthOf(yield* items(`${NAMESPACE}/persistentvolumeclaims`), 3)
    })
  )

  it.live("with policy Parallel create all pods at once, and update only those above the partition", () =>
    Effect.gen(function* () {
      const { call, items, until } = yield* cluster()
      const set = `${APPS}/statefulsets/db`
      yield* call("POST", `${APPS}/statefulsets`, {
        body: {
          metadata: { name: "db" },
          spec: {
            replicas: 3,
            serviceName: "db",
            podManagementPolicy: "Parallel",
            updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
            ...selecting("db")
          }
        }
      })
      yield* until("all are ready", set, (one) => at(one, "status", "availableReplicas") === 3)
      const image = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "registry.example/app:2" }]
      yield* call("PATCH", set, { body: JSON.stringify(image), type: "application/json-patch+json" })
      yield* until(
        "the highest pod is updated",
        set,
        (one) => at(one, "status", "updatedReplicas") === 1 && at(one, "status", "availableReplicas") === 3
      )
      const images = (yield* items(PODS)).map((one) => textAt(arrayAt(one, "spec", "containers")[0], "image").slice(-1))
      assert.deepStrictEqual(images, ["1", "1", "2"])
      const seen = (yield* call("GET", set)).json
      assert.notStrictEqual(textAt(seen, "status", "currentRevision"), textAt(seen, "status", "updateRevision"))
    })
  )
})

describe("daemon sets", () => {
  it.live("run one pod on every eligible node, also on nodes added later", () =>
    Effect.gen(function* () {
      const { call, items, until, untilItems } = yield* cluster({ nodes: 2 })
      const set = `${APPS}/daemonsets/agent`
      yield* call("POST", "/api/v1/nodes", { body: node("gpu", { labels: { kind: "gpu" } }) })
      yield* call("POST", `${APPS}/daemonsets`, { body: { metadata: { name: "agent" }, spec: selecting("agent") } })
      yield* call("POST", `${APPS}/daemonsets`, {
        body: { metadata: { name: "driver" }, spec: selecting("driver", { nodeSelector: { kind: "gpu" } }) }
      })
      yield* until("three run", set, (one) => at(one, "status", "numberAvailable") === 3)
      const nodes = (yield* items(`${PODS}?labelSelector=app%3Dagent`)).map((one) => textAt(one, "spec", "nodeName"))
      assert.deepStrictEqual(nodes.toSorted(), ["gpu", "n1", "n2"])
      yield* until(
        "the driver runs where it fits",
        `${APPS}/daemonsets/driver`,
        (one) => at(one, "status", "numberAvailable") === 1
      )

      yield* call("POST", "/api/v1/nodes", { body: node("n3") })
      yield* until("the new node has one", set, (one) => at(one, "status", "numberAvailable") === 4)
      yield* call("DELETE", "/api/v1/nodes/n1")
      yield* untilItems("its pod went with the node", `${PODS}?labelSelector=app%3Dagent`, (pods) => pods.length === 3)
      yield* until("three are wanted", set, (one) => at(one, "status", "desiredNumberScheduled") === 3)
    })
  )
})

describe("jobs", () => {
  it.live("run pods up to their parallelism, and complete after enough pods succeeded", () =>
    Effect.gen(function* () {
      const { call, until, untilItems } = yield* cluster({ kubelet: false })
      yield* call("POST", JOBS, { body: once("sum", { completions: 3, parallelism: 2, completionMode: "Indexed" }) })
      const pods = `${PODS}?labelSelector=job-name%3Dsum`
      const index = (pod: Json) => labelOf(pod, "batch.kubernetes.io/job-completion-index")
      const [first] = yield* untilItems("two work", pods, (all) => all.length === 2)
      yield* call("PATCH", `${PODS}/${nameOf(first)}/status`, phase("Succeeded"))
      yield* untilItems("the third begins", pods, (all) => all.length === 3)
      const rest = yield* untilItems("each has an index", pods, (all) => new Set(all.map(index)).size === 3)
      for (const pod of rest) yield* call("PATCH", `${PODS}/${nameOf(pod)}/status`, phase("Succeeded"))
      const job = yield* until(
        "it is complete",
        `${JOBS}/sum`,
        (one) => condition(one, "Complete")["status"] === "True"
      )
      assert.deepInclude(job["status"], { succeeded: 3, completedIndexes: "0-2", ready: 0 })
      yield* untilItems("nothing holds its pods", pods, (all) =>
        all.every((pod) => at(pod, "metadata", "finalizers") === undefined)
      )
    })
  )

  it.live("replace failed pods up to the backoff limit, then fail and delete the running pods", () =>
    Effect.gen(function* () {
      const { call, until, untilItems } = yield* cluster()
      yield* call("POST", JOBS, { body: once("doomed", { backoffLimit: 1, parallelism: 1 }) })
      const active = `${PODS}?fieldSelector=status.phase%3DRunning`
      for (let failures = 1; failures <= 2; failures++) {
        const [pod] = yield* untilItems("one runs", active, (all) => all.length === 1)
        yield* call("PATCH", `${PODS}/${nameOf(pod)}/status`, phase("Failed"))
        yield* until("it is counted", `${JOBS}/doomed`, (one) => at(one, "status", "failed") === failures)
      }
      const job = yield* until(
        "it has failed",
        `${JOBS}/doomed`,
        (one) => condition(one, "Failed")["status"] === "True"
      )
      assert.strictEqual(condition(job, "Failed")["reason"], "BackoffLimitExceeded")
    })
  )

  it.live("count pods that they delete as failed, but not pods that a suspension deletes", () =>
    Effect.gen(function* () {
      const { call, until, untilItems } = yield* cluster()
      const running = `${PODS}?fieldSelector=status.phase%3DRunning`
      yield* call("POST", JOBS, { body: once("doomed", { backoffLimit: 0, parallelism: 3, completions: 3 }) })
      const [first] = yield* untilItems("all run", running, (all) => all.length === 3)
      yield* call("PATCH", `${PODS}/${nameOf(first)}/status`, phase("Failed"))
      const failed = yield* until(
        "it is over",
        `${JOBS}/doomed`,
        (one) => condition(one, "Failed")["status"] === "True"
      )
      assert.strictEqual(at(failed, "status", "failed"), 3)

      yield* call("POST", JOBS, { body: once("paused", { parallelism: 2, completions: 2 }) })
      yield* untilItems("both run", running, (all) => all.length === 2)
      yield* call("PATCH", `${JOBS}/paused`, patching({ spec: { suspend: true } }))
      yield* untilItems("both are gone", `${PODS}?labelSelector=job-name%3Dpaused`, (all) => all.length === 0)
      const paused = yield* until(
        "it says so",
        `${JOBS}/paused`,
        (one) => condition(one, "Suspended")["status"] === "True"
      )
      assert.strictEqual(at(paused, "status", "failed"), undefined)
    })
  )

  it.live("have no pods while suspended, and are deleted after their time to live", () =>
    Effect.gen(function* () {
      const { call, until, untilItems } = yield* cluster({ kubelet: false })
      yield* call("POST", JOBS, { body: once("later", { suspend: true, ttlSecondsAfterFinished: 1 }) })
      yield* until("it waits", `${JOBS}/later`, (one) => condition(one, "Suspended")["status"] === "True")
      yield* call("PATCH", `${JOBS}/later`, patching({ spec: { suspend: false } }))
      const [pod] = yield* untilItems("it begins", PODS, (all) => all.length === 1)
      yield* call("PATCH", `${PODS}/${nameOf(pod)}/status`, phase("Succeeded"))
      yield* untilItems("it is gone", JOBS, (all) => all.length === 0)
      yield* untilItems("and its pod", PODS, (all) => all.length === 0)
    })
  )
})

describe("cron jobs", () => {
  it.effect("start a job at its scheduled time, on the cluster's clock", () =>
    Effect.gen(function* () {
      const { call, watch } = yield* started({ controllers: true })
      const cron = (policy: string) => ({
        metadata: { name: policy.toLowerCase() },
        spec: { schedule: "*/5 * * * *", concurrencyPolicy: policy, jobTemplate: { spec: once("x")["spec"] ?? null } }
      })
      yield* TestClock.setTime(Date.parse("2026-03-01T00:01:00Z"))
      for (const policy of ["Allow", "Forbid", "Replace"]) {
        assert.strictEqual((yield* call("POST", `${BATCH}/cronjobs`, { body: cron(policy) })).status, 201)
      }
      const events = yield* watch(`${JOBS}?watch=1`)
      /** Names of the next jobs that start. */
      const begun = (count: number) =>
        Effect.gen(function* () {
          const names: Array<string> = []
          while (names.length < count) {
            const event = yield* events.next
            if (textAt(event, "type") === "ADDED") names.push(nameOf(at(event, "object")))
          }
          return names.toSorted()
        })
      const minutes = (text: string) => Date.parse(text) / 60_000
      const first = minutes("2026-03-01T00:05:00Z")
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual(yield* begun(3), [`allow-${first}`, `forbid-${first}`, `replace-${first}`])
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* begun(2), [`allow-${first + 5}`, `replace-${first + 5}`])
      const allow = (yield* call("GET", `${BATCH}/cronjobs/allow`)).json
      assert.strictEqual(textAt(allow, "status", "lastScheduleTime"), "2026-03-01T00:10:00Z")
      assert.deepStrictEqual(
        arrayAt(allow, "status", "active").map((one) => textAt(one, "name")),
        [`allow-${first}`, `allow-${first + 5}`]
      )
    })
  )
})

describe("a cluster killed during a reset", () => {
  it.effect("does not run its controllers until it starts again", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started({ controllers: true })
      yield* TestClock.setTime(Date.parse("2026-03-01T00:00:30Z"))
      yield* call("POST", `${BATCH}/cronjobs`, {
        body: {
          metadata: { name: "each-minute" },
          spec: { schedule: "* * * * *", jobTemplate: { spec: once("x")["spec"] ?? null } }
        }
      })
      yield* server.checkpoint
      yield* Effect.all([server.kill, server.reset], { concurrency: "unbounded" })
      for (let minute = 0; minute < 3; minute++) yield* TestClock.adjust("1 minute")
      yield* server.restart
      const jobs = (yield* call("GET", JOBS)).json
      // The controller starts only the last of the missed jobs.
      assert.notInclude(namesOf(jobs), `each-minute-${Date.parse("2026-03-01T00:01:00Z") / 60_000}`)
      assert.notInclude(namesOf(jobs), `each-minute-${Date.parse("2026-03-01T00:02:00Z") / 60_000}`)
    })
  )
})

describe("without controllers", () => {
  it.live("nothing reconciles", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", `${APPS}/deployments`, { body: deployment("web", 3) })
      const wait = yield* Effect.forkChild(call("GET", `${APPS}/replicasets`))
      assert.deepStrictEqual(namesOf((yield* Fiber.join(wait)).json), [])
      assert.deepStrictEqual(namesOf((yield* call("GET", `${NAMESPACE}/serviceaccounts`)).json), [])
    })
  )
})
