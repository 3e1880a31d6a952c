/** Clusters of others, which a run uses and leaves as they were. */
import { assert, describe, it, layer } from "@effect/vitest"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { make as makeApi } from "../../../src/client/ClusterApi.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import * as Existing from "../../../src/drivers/existing/Existing.ts"
import { HOME, MACHINE, marksOf, OWNER, RUN } from "../../../src/drivers/existing/Marks.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import * as Owner from "../../../src/machine/Owner.ts"
import * as Kubeconfig from "../../../src/client/Kubeconfig.ts"
import * as UserAccess from "../../../src/client/UserAccess.ts"
import type { KubeObject } from "../../../src/client/KubeObject.ts"
import { configMap, configMapRef, configMaps, namesOf, pod } from "../../conformance/Fixture.ts"
import { temporaryDirectory } from "../../machine/Fixture.ts"
import { bothKinds } from "../BothKinds.ts"
import {
  Cluster,
  defaultAccounts,
  freshNamespace,
  namespace,
  serviceAccount,
  type Started,
  statusOf,
  versions,
  WAIT
} from "../../state/Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

const USERS = [
  { name: "admin", groups: ["system:masters"], token: Redacted.make("not-asked") },
  { name: "Viewer One", groups: [], token: Redacted.make("not-asked-either") }
]

const kubeconfigOf = ({ running, token }: Started): string =>
  Kubeconfig.print([{ name: "theirs", server: running.server, caPem: running.caPem, user: "me", token }])

const driverOf = (cluster: Started) =>
  Existing.make({ kubeconfig: kubeconfigOf(cluster), contexts: { eu: "theirs" }, namespacePrefix: "ci" })

const clusterRole = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels },
  rules: []
})

/** The marks of a run whose process has ended. */
const deadMarks = Effect.gen(function* () {
  const marks = yield* marksOf("dead0")
  const owner = Owner.print({ ...(yield* Effect.promise(Owner.self)), start: "1" })
  return { ...marks, [OWNER]: owner }
})

for (const base of bothKinds(run)) {
  layer(Cluster.layer(base), { timeout: "2 minutes" })(`an existing cluster, run by ${base.name}`, (it) => {
    it.effect(
      "has what the run made while it runs, and is as it was when the run is over",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api } = cluster
          const foreign = yield* freshNamespace(api)
          yield* api.create(configMap(foreign, "theirs"))
          yield* api.create(pod(foreign, "theirs"))
          yield* api.create(serviceAccount(foreign, "theirs"))
          const before = yield* versions(api)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const eu = yield* driverOf(cluster).start({ name: "eu", users: USERS })
              const shop = yield* eu.namespace("shop")
              assert.match(shop, /^ci-[0-9a-f]{10}-shop$/)
              const { caPem, server } = eu
              const mine = yield* makeApi({ cluster: "eu", server, caPem, token: yield* eu.credentials("admin") })
              yield* mine.create(configMap(shop, "kept"))
              yield* mine.create(clusterRole(`${shop}-kept`, eu.labels))
              yield* eu.checkpoint
              yield* mine.patch(configMapRef(shop, "kept"), { data: { key: "new" } })
              yield* mine.create(configMap(shop, "came"))
              yield* mine.create(clusterRole(`${shop}-came`, eu.labels))
              const other = yield* eu.namespace("other")
              yield* mine.create(configMap(other, "came"))

              yield* eu.reset
              const { items } = yield* mine.list({
                ...configMaps(shop),
                fieldSelector: "metadata.name!=kube-root-ca.crt"
              })
              assert.deepStrictEqual(namesOf(items), ["kept"])
              assert.deepStrictEqual(items[0]?.["data"], { key: "value" })
              assert.strictEqual(yield* statusOf(api, `/api/v1/namespaces/${other}`), 404)
              const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
              assert.strictEqual(yield* statusOf(api, `${roles}/${shop}-came`), 404)
              assert.strictEqual(yield* statusOf(api, `${roles}/${shop}-kept`), 200)

              const viewer = mine.as(yield* eu.credentials("Viewer One"))
              // Known, and without any right.
              assert.strictEqual(yield* statusOf(viewer, "/api/v1/pods"), 403)
              const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"], namespaces: [shop] }]
              yield* UserAccess.grant(mine, { name: "Viewer One", rules }, eu.granting("Viewer One"))
              const seen = statusOf(viewer, `/api/v1/namespaces/${shop}/pods`)
              yield* eventually("it may list pods", seen, (status) => status === 200, WAIT)
            })
          )
          assert.deepStrictEqual(yield* versions(api), before)
        }),
      LIMIT
    )

    it.effect(
      "goes back to nothing of the run's own as long as no checkpoint was taken",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const foreign = yield* freshNamespace(cluster.api)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const eu = yield* driverOf(cluster).start({ name: "eu", users: USERS })
              const shop = yield* eu.namespace("shop")
              yield* cluster.api.create(configMap(shop, "came"))
              yield* eu.reset
              assert.strictEqual(yield* statusOf(cluster.api, `/api/v1/namespaces/${shop}`), 404)
              yield* eu.credentials("Viewer One")
            })
          )
          assert.strictEqual(yield* statusOf(cluster.api, `/api/v1/namespaces/${foreign}`), 200)
        }),
      LIMIT
    )

    it.effect(
      "keeps the service account of a namespace that was new at the checkpoint",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const eu = yield* driverOf(cluster).start({ name: "eu", users: USERS })
          const shop = yield* eu.namespace("shop")
          yield* eu.checkpoint
          const accounts = defaultAccounts(cluster.api)
          const before = yield* eventually(
            "the namespace has an account if others have",
            accounts,
            (found) => found.has(shop) === found.has("default"),
            WAIT
          )
          yield* eu.reset
          assert.strictEqual((yield* accounts).get(shop), before.get(shop))
        }),
      LIMIT
    )

    it.effect(
      "is swept of what dead runs left, and of nothing else",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const { api } = cluster
          const dead = yield* deadMarks
          const elsewhere = { ...dead, [RUN]: "elsewhere0", [MACHINE]: "another" }
          const make = (name: string, labels: Readonly<Record<string, string>>) =>
            api.create({ ...namespace(name), metadata: { name, labels } })
          const { [OWNER]: _, ...unowned } = dead
          yield* make("ci-dead0", { ...dead, [HOME]: "true" })
          yield* make("ci-dead0-shop", dead)
          yield* api.create(configMap("ci-dead0-shop", "left"))
          yield* api.create(clusterRole("left", dead))
          yield* make("ci-unmarked", {})
          yield* make("ci-unowned", unowned)
          yield* make("other-prefix", dead)
          yield* make("ci-elsewhere0", elsewhere)
          yield* api.create(clusterRole("theirs", {}))
          const options = { kubeconfig: kubeconfigOf(cluster), namespacePrefix: "ci" }
          const isThere = (name: string) =>
            Effect.map(statusOf(api, `/api/v1/namespaces/${name}`), (status) => status === 200)

          yield* Effect.scoped(
            Effect.gen(function* () {
              const eu = yield* driverOf(cluster).start({ name: "eu", users: USERS })
              const alive = yield* eu.namespace("alive")
              const swept = yield* Existing.sweep(options)
              assert.deepStrictEqual(
                swept.map(({ objects, run }) => [run, objects.toSorted()]),
                [["dead0", ["ClusterRole left", "Namespace ci-dead0", "Namespace ci-dead0-shop"]]]
              )
              assert.isTrue(yield* isThere(alive))
            })
          )
          assert.isFalse(yield* isThere("ci-dead0-shop"))
          for (const name of ["ci-unmarked", "ci-unowned", "other-prefix", "ci-elsewhere0"]) {
            assert.isTrue(yield* isThere(name), name)
          }
          assert.strictEqual(yield* statusOf(api, "/apis/rbac.authorization.k8s.io/v1/clusterroles/theirs"), 200)
          assert.isEmpty(yield* Existing.sweep(options))
          const old = yield* Existing.sweep({ ...options, olderThan: "0 millis" })
          assert.deepStrictEqual(
            old.map(({ run }) => run),
            ["elsewhere0"]
          )
        }),
      LIMIT
    )

    it.effect(
      "is entered by a credential that a program prints, which lasts as long as the run",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const directory = yield* temporaryDirectory
          const credential = {
            apiVersion: "client.authentication.k8s.io/v1",
            kind: "ExecCredential",
            status: { token: Redacted.value(cluster.token) }
          }
          const config = kubeconfigOf(cluster).replace(
            /user:\n\s+token: \S+/,
            "user:\n      exec:\n        apiVersion: client.authentication.k8s.io/v1\n        command: ./login\n"
              + "        env:\n          - name: SAID\n            value: please"
          )
          yield* Effect.promise(async () => {
            await writeFile(join(directory, "credential"), JSON.stringify(credential))
            await writeFile(
              join(directory, "login"),
              `#!/bin/sh\n[ "$SAID" = please ] && [ -n "$KUBERNETES_EXEC_INFO" ] && cat ${directory}/credential\n`
            )
            await chmod(join(directory, "login"), 0o755)
            await writeFile(join(directory, "config"), config)
          })
          const driver = Existing.make({ kubeconfig: join(directory, "config"), namespacePrefix: "ci" })
          yield* Effect.scoped(
            Effect.gen(function* () {
              const theirs = yield* driver.start({ name: "theirs", users: USERS })
              const token = yield* theirs.credentials("admin")
              assert.notStrictEqual(Redacted.value(token), Redacted.value(cluster.token))
              assert.strictEqual(yield* statusOf(cluster.api.as(token), "/api/v1/nodes"), 200)
            })
          )
          const bindings = yield* cluster.api.list({
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRoleBinding",
            labelSelector: RUN
          })
          assert.isEmpty(bindings.items)
        }),
      LIMIT
    )
  })
}

describe("an existing cluster", () => {
  const config = Kubeconfig.print([
    { name: "theirs", server: "https://127.0.0.1:1", caPem: "none", user: "me", token: Redacted.make("t") }
  ])
  const startOf = (kubeconfig: string, context: string) =>
    Effect.flip(
      Effect.scoped(
        Existing.make({ kubeconfig, contexts: { eu: context }, namespacePrefix: "ci" }).start({
          name: "eu",
          users: USERS
        })
      )
    )

  it.effect("is refused for a context that does not exist, with those that do", () =>
    Effect.gen(function* () {
      const error = yield* startOf(config, "ours")
      assert.strictEqual(error.message, "cluster eu: the kubeconfig has no context ours; it has theirs")
    })
  )

  it.effect("is refused when its server is not verified", () =>
    Effect.gen(function* () {
      const odd = config.replace("server:", "insecure-skip-tls-verify: true\n      server:")
      const error = yield* startOf(odd, "theirs")
      assert.match(error.message, /the context theirs of the kubeconfig uses insecure-skip-tls-verify/)
    })
  )

  it.effect("is missing when the kubeconfig cannot be read or is none", () =>
    Effect.gen(function* () {
      for (const kubeconfig of ["/nowhere/config", "a: b\n", "\t\n\tnot yaml"]) {
        const { available } = Existing.make({ kubeconfig, namespacePrefix: "ci" })
        assert.strictEqual((yield* available)._tag, "Missing")
      }
    })
  )

  it.effect("refuses a prefix that namespaces cannot have", () =>
    Effect.gen(function* () {
      for (const namespacePrefix of ["", "-ci", "CI", "c".repeat(31)]) {
        const driver = Existing.make({ kubeconfig: config, namespacePrefix })
        const error = yield* Effect.flip(Effect.scoped(driver.start({ name: "theirs", users: USERS })))
        assert.strictEqual(error.reason._tag, "InvalidFleet")
        const refused = yield* Effect.flip(Existing.sweep({ kubeconfig: config, namespacePrefix }))
        assert.strictEqual(refused.reason._tag, "InvalidFleet")
      }
    })
  )
})

for (const base of run.slice(0, 1)) {
  layer(Cluster.layer(base))("an existing cluster", (it) => {
    it.effect("cannot be taken away, restarted, emptied, saved or started from a save", () =>
      Effect.gen(function* () {
        const cluster = yield* Cluster
        const driver = driverOf(cluster)
        const eu = yield* driver.start({ name: "eu", users: USERS })
        const actions = [eu.kill, eu.restart, eu.restartEmpty, eu.expireHistory, eu.save("/nowhere")]
        for (const action of [...actions, driver.start({ name: "eu", users: USERS, from: "/nowhere" })]) {
          const error = yield* Effect.flip(action)
          assert.strictEqual(error.reason._tag, "NotSupported")
        }
        const unknown = yield* Effect.flip(eu.credentials("nobody"))
        assert.strictEqual(unknown.message, "cluster eu: no user is named nobody")
        const name = yield* Effect.flip(eu.namespace("Not A Name"))
        assert.strictEqual(name.reason._tag, "InvalidFleet")
      })
    )
  })
}
