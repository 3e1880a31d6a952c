/** What people type to roll things out, on an embedded cluster with controllers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { find } from "../../../../src/drivers/control-plane/assets/Programs.ts"
import type { JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { noProgram, sayLeftOut } from "../../LeftOut.ts"
import { ADMIN, deployment } from "../Client.ts"
import { APPS, cluster, isAvailable, NAMESPACE } from "./Machine.ts"

const run = promisify(execFile)
const program = await Effect.runPromise(find("kubectl"))

/** A cluster with controllers, and kubectl pointed at it. */
const session = (path: string) =>
  Effect.gen(function* () {
    const machine = yield* cluster
    const { caPem, server } = machine.server
    const home = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
      (home) => Effect.promise(() => rm(home, { recursive: true }))
    )
    const config = join(home, "config")
    const kubeconfig: JsonObject = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "it",
      clusters: [
        { name: "it", cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } }
      ],
      users: [{ name: "it", user: { token: ADMIN } }],
      contexts: [{ name: "it", context: { cluster: "it", user: "it", namespace: "default" } }]
    }
    yield* Effect.promise(() => writeFile(config, JSON.stringify(kubeconfig), { mode: 0o600 }))
    const kubectl = (...args: ReadonlyArray<string>) =>
      Effect.map(
        Effect.tryPromise(() => run(path, ["--kubeconfig", config, ...args], { env: { HOME: home } })),
        ({ stdout }) => stdout.trim()
      )
    return { ...machine, kubectl }
  })

const LABEL = "app=web"

for (const { path } of Option.toArray(program)) {
  describe("kubectl, where things roll out", () => {
    it.live(
      "a deployment: status, history, restart, undo, scale, wait",
      () =>
        Effect.gen(function* () {
          const { call, kubectl, until } = yield* session(path)
          yield* call("POST", `${APPS}/deployments`, { body: deployment("web", 2) })
          assert.include(yield* kubectl("rollout", "status", "deploy/web"), "successfully rolled out")
          assert.include(
            yield* kubectl("wait", "--for=condition=available", "deploy/web", "--timeout=30s"),
            "condition met"
          )
          yield* kubectl("set", "image", "deploy/web", "main=registry.example/app:2")
          assert.include(yield* kubectl("rollout", "status", "deploy/web"), "successfully rolled out")
          assert.match(yield* kubectl("rollout", "history", "deploy/web"), /REVISION +CHANGE-CAUSE\n1 .*\n2 /)
          assert.include(yield* kubectl("rollout", "history", "deploy/web", "--revision=1"), "registry.example/app:1")
          assert.include(yield* kubectl("rollout", "undo", "deploy/web"), "rolled back")
          yield* kubectl("rollout", "status", "deploy/web")
          assert.strictEqual(
            yield* kubectl("get", "pods", "-l", LABEL, "-o", "jsonpath={.items[0].spec.containers[0].image}"),
            "registry.example/app:1"
          )
          yield* kubectl("rollout", "restart", "deploy/web")
          yield* kubectl("rollout", "status", "deploy/web")
          yield* kubectl("scale", "deploy/web", "--replicas=4")
          yield* until("web has grown", `${APPS}/deployments/web`, isAvailable(4))
          assert.match(yield* kubectl("get", "deploy", "web"), /web +4\/4 +4 +4/)
          assert.include(yield* kubectl("describe", "deploy", "web"), "NewReplicaSetAvailable")
          assert.include(yield* kubectl("delete", "deploy", "web", "--cascade=foreground"), "deleted")
          assert.strictEqual(yield* kubectl("get", "rs,pods", "-l", LABEL, "-o", "name"), "")
        }),
      120_000
    )

    it.live(
      "a stateful set and a daemon set: status, history, undo",
      () =>
        Effect.gen(function* () {
          const { call, kubectl } = yield* session(path)
          const bare = { selector: { matchLabels: { app: "db" } } }
          const template: JsonObject = {
            metadata: { labels: { app: "db" } },
            spec: { containers: [{ name: "main", image: "registry.example/app:1" }] }
          }
          yield* call("POST", `${APPS}/statefulsets`, {
            body: { metadata: { name: "db" }, spec: { ...bare, replicas: 2, serviceName: "db", template } }
          })
          yield* call("POST", `${APPS}/daemonsets`, { body: { metadata: { name: "db" }, spec: { ...bare, template } } })
          for (const what of ["sts/db", "ds/db"]) {
            yield* kubectl("rollout", "status", what)
            yield* kubectl("set", "image", what, "main=registry.example/app:2")
            yield* kubectl("rollout", "status", what)
            assert.match(yield* kubectl("rollout", "history", what), /1 .*\n2 /)
            assert.include(yield* kubectl("rollout", "undo", what), "rolled back")
            yield* kubectl("rollout", "status", what)
            assert.include(yield* kubectl("get", what, "-o", "jsonpath={..image}"), "app:1")
          }
        }),
      120_000
    )

    it.live(
      "makes objects from its own flags, which it sends in protobuf",
      () =>
        Effect.gen(function* () {
          const { kubectl } = yield* session(path)
          const created = (...args: ReadonlyArray<string>) =>
            Effect.map(kubectl("create", ...args), (said) => assert.include(said, "created", args.join(" ")))
          yield* created("namespace", "shop")
          yield* created("configmap", "c", "--from-literal=a=b")
          yield* created("secret", "generic", "s", "--from-literal=a=b")
          yield* created("deployment", "web", "--image=registry.example/app:1", "--replicas=2", "--port=8080")
          yield* created("service", "clusterip", "web", "--tcp=80:8080")
          yield* created("job", "once", "--image=registry.example/app:1", "--", "sleep", "1")
          yield* created("cronjob", "often", "--image=registry.example/app:1", "--schedule=*/5 * * * *")
          yield* created("role", "reader", "--verb=get", "--resource=pods")
          yield* created("serviceaccount", "robot")
          yield* created("rolebinding", "robot", "--role=reader", "--serviceaccount=default:robot")
          yield* created("poddisruptionbudget", "web", "--selector=app=web", "--min-available=0")
          assert.include(yield* kubectl("rollout", "status", "deploy/web"), "successfully rolled out")
          assert.strictEqual(yield* kubectl("get", "secret", "s", "-o", "jsonpath={.data.a}"), "Yg==")
          assert.strictEqual(yield* kubectl("auth", "can-i", "delete", "nodes"), "yes")
          const robot = yield* kubectl("create", "token", "robot")
          assert.strictEqual(yield* kubectl("--token", robot, "auth", "can-i", "get", "pods"), "yes")
          assert.include(yield* kubectl("drain", "n1", "--ignore-daemonsets", "--force"), "drained")
        }),
      120_000
    )

    it.live(
      "a token of a service account, and who one is with it",
      () =>
        Effect.gen(function* () {
          const { kubectl, until } = yield* session(path)
          yield* until(
            "the account is there",
            `${NAMESPACE}/serviceaccounts/default`,
            (one) => one["kind"] === "ServiceAccount"
          )
          const token = yield* kubectl("create", "token", "default", "--duration=10m")
          assert.lengthOf(token.split("."), 3)
          assert.include(
            yield* kubectl("--token", token, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"),
            "system:serviceaccount:default:default"
          )
        }),
      120_000
    )
  })
}

for (const why of Option.isNone(program) ? [noProgram("kubectl")] : []) sayLeftOut(it, why)
