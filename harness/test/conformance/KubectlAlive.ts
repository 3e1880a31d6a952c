import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Usage from "../../src/simulation/usage/Usage.ts"
import { aliveDeployment, isRolledOut, NODES } from "./Alive.ts"
import { deploymentRef, parent, type Suite } from "./Fixture.ts"
import { kubectlAt } from "./KubectlAt.ts"

const TIMEOUT = 180_000

/** What people type where things roll out. */
export const kubectlAlive = (it: Suite, program: string): void => {
  const session = Effect.gen(function* () {
    const cluster = yield* parent
    const at = yield* kubectlAt(program, cluster)
    yield* cluster.api.create(aliveDeployment(at.namespace, "web", 2))
    yield* eventually("web is available", cluster.api.get(deploymentRef(at.namespace, "web")), isRolledOut(2), {
      within: "60 seconds"
    })
    return at
  })

  it.effect(
    "kubectl rollout: status, restart, history and undo",
    () =>
      Effect.gen(function* () {
        const { kubectl } = yield* session
        const status = kubectl("rollout", "status", "deploy/web", "--timeout=60s")
        assert.include(yield* status, "successfully rolled out")
        yield* kubectl("rollout", "restart", "deploy/web")
        assert.include(yield* status, "successfully rolled out")
        yield* kubectl("set", "image", "deploy/web", "main=busybox:2")
        assert.include(yield* status, "successfully rolled out")
        assert.match(yield* kubectl("rollout", "history", "deploy/web"), /REVISION +CHANGE-CAUSE\n1 .*\n2 .*\n3 /)
        assert.include(yield* kubectl("rollout", "undo", "deploy/web"), "rolled back")
        assert.include(yield* status, "successfully rolled out")
        assert.include(yield* kubectl("get", "deploy", "web", "-o", "jsonpath={..image}"), "busybox:1")
      }),
    TIMEOUT
  )

  it.effect(
    "kubectl scale and wait: more replicas are available, and get shows them",
    () =>
      Effect.gen(function* () {
        const { kubectl } = yield* session
        yield* kubectl("scale", "deploy/web", "--replicas=4")
        yield* kubectl("rollout", "status", "deploy/web", "--timeout=60s")
        assert.include(
          yield* kubectl("wait", "--for=condition=Available", "deploy/web", "--timeout=60s"),
          "condition met"
        )
        assert.match(yield* kubectl("get", "deploy", "web"), /web +4\/4 +4 +4 /)
        assert.include(yield* kubectl("describe", "deploy", "web"), "NewReplicaSetAvailable")
        assert.include(
          yield* kubectl("wait", "--for=condition=Ready", "pods", "-l", "app=web", "--timeout=60s"),
          "condition met"
        )
      }),
    TIMEOUT
  )

  it.effect(
    "kubectl top shows the usage of nodes and pods",
    () =>
      Effect.gen(function* () {
        const { kubectl } = yield* session
        yield* Usage.serve(yield* parent)
        const pods = yield* eventually(
          "usage is told",
          kubectl("top", "pods", "-l", "app=web"),
          (text) => text.split("\n").length === 3,
          { within: "60 seconds" }
        )
        assert.match(pods, /^NAME +CPU\(cores\) +MEMORY\(bytes\)\s*\nweb-\S+ +\d+m +\d+Mi/)
        const nodes = yield* kubectl("top", "nodes")
        for (const name of NODES) assert.match(nodes, new RegExp(`^${name} +\\d+m `, "m"))
      }),
    TIMEOUT
  )

  it.effect(
    "kubectl delete waits for pods to end",
    () =>
      Effect.gen(function* () {
        const { kubectl } = yield* session
        assert.include(yield* kubectl("delete", "deploy", "web", "--cascade=foreground"), "deleted")
        assert.strictEqual(yield* kubectl("get", "rs,pods", "-l", "app=web", "-o", "name"), "")
      }),
    TIMEOUT
  )
}
