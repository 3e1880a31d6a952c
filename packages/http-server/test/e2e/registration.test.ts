/** Clusters that are registered and dropped while the service runs. */
import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, FileSystem, Layer, Option, Path, Redacted } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Listener from "../../src/Listener.ts"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import { Deployment, type KeyName, send, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { drop, partsOf, PATH, refused, register } from "./registered.ts"
import { auditOf, namesOf } from "./registeredAudit.ts"

onOneDriver(
  "registering clusters",
  {
    children: ["prod", "stage"],
    faults: true,
    kubeconfig: (fleet) => Effect.succeed(fleet.parent.kubeconfig),
    options: { clusters: { allowLoopback: true } }
  },
  (it) => {
    it.effect("a registered cluster is listed at once, is a target, and is gone once it is dropped", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const row = yield* register({ ...(yield* partsOf("prod")), labels: { region: "eu" } })
        assert.deepInclude(row, {
          name: ClusterName.make("prod"),
          role: "child",
          reachable: true,
          labels: { region: "eu" }
        })
        assert.match(String(row.version), /^v1\./)
        assert.deepStrictEqual(yield* namesOf, ["hub", "prod"])
        const { clusters } = yield* deployment.workloads("", { key: "admin", headers: to("prod") })
        assert.deepStrictEqual([clusters[0]?.name, clusters[0]?.status], ["prod", "ok"])

        const again = yield* refused(yield* partsOf("prod"))
        assert.deepInclude(again, { status: 409, code: "cluster_exists", field: "name" })
        assert.deepInclude(yield* refused({ ...(yield* partsOf("prod")), name: "hub" }), { code: "cluster_exists" })

        const dropped = yield* drop("prod")
        assert.deepStrictEqual([dropped.status, dropped.text], [204, ""])
        assert.deepStrictEqual(yield* namesOf, ["hub"])
        const after = yield* deployment.problem("/api/v1/workloads", { key: "admin", headers: to("prod") })
        assert.deepInclude(after, { status: 404, code: "cluster_not_found" })
        const unknown = yield* deployment.problem(`${PATH}/prod`, { method: "DELETE", key: "admin" })
        assert.deepInclude(unknown, { status: 404, code: "cluster_not_found", field: "name" })
        const configured = yield* deployment.problem(`${PATH}/hub`, { method: "DELETE", key: "admin" })
        assert.deepInclude(configured, { status: 409, code: "cluster_configured", field: "name" })
        const other = { method: "DELETE", key: "admin", headers: to("hub") } as const
        assert.deepInclude(yield* deployment.problem(`${PATH}/prod`, other), { status: 400, code: "invalid_target" })
      })
    )

    it.effect("a kubeconfig's current context is registered", () =>
      Effect.gen(function* () {
        const stage = yield* (yield* Deployment).fleet.cluster("stage")
        const row = yield* register({ name: "lab.eu", kubeconfig: stage.kubeconfig })
        assert.deepInclude(row, { name: ClusterName.make("lab.eu"), reachable: true })
        assert.strictEqual((yield* drop("lab.eu")).status, 204)
      })
    )

    it.effect("what the cluster refuses is refused, with the field, and nothing is kept", () =>
      Effect.gen(function* () {
        const parts = yield* partsOf("stage")
        const stage = yield* (yield* Deployment).fleet.cluster("stage")
        const other = Buffer.from((yield* (yield* Deployment).fleet.cluster("prod")).caPem).toString("base64")
        const cases = [
          [{ ...parts, token: "not-this-one" }, "token", "refused the service's credential"],
          [yield* partsOf("stage", "reader"), "token", "does not allow the service to list namespaces"],
          [{ ...parts, caData: other }, "caData", "certificate"],
          [{ ...parts, caData: "LS0tLS1CRUdJTiBYLS0tLS0=" }, "caData", "not PEM"],
          [{ ...parts, server: "https://127.0.0.1:1" }, "server", "ECONNREFUSED"],
          [
            { name: "stage", kubeconfig: stage.kubeconfig.replace(parts.token, "not-this-one") },
            "kubeconfig",
            "credential"
          ]
        ] as const
        for (const [body, field, words] of cases) {
          const problem = yield* refused(body)
          assert.deepInclude(problem, { status: 400, code: "cluster_refused", field })
          assert.include(problem.detail, words)
          assert.notInclude(JSON.stringify(problem), parts.token)
        }
        assert.deepStrictEqual(yield* namesOf, ["hub"])
      })
    )

    it.effect.each<[string, object, "invalid_body" | "cluster_refused", string]>([
      ["no name", { name: undefined }, "invalid_body", "name"],
      ["a name outside of the grammar", { name: "a|b" }, "invalid_body", "name"],
      ["a member that nobody knows", { insecure: true }, "invalid_body", "insecure"],
      ["no token", { token: undefined }, "invalid_body", "token"],
      ["an empty token", { token: "" }, "invalid_body", "token"],
      ["a token of another type", { token: 7 }, "invalid_body", "token"],
      ["a token with a line break", { token: "a\r\nx: y" }, "cluster_refused", "token"],
      ["an authority that is no PEM", { caData: "nothing" }, "cluster_refused", "caData"],
      ["a kubeconfig beside parts", { kubeconfig: "apiVersion: v1" }, "invalid_body", "server"],
      [
        "too many labels",
        { labels: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`l${n}`, ""])) },
        "invalid_body",
        "labels"
      ]
    ])("%s is refused with its field", ([, change, code, field]) =>
      Effect.gen(function* () {
        const problem = yield* refused({ ...(yield* partsOf("prod")), ...change })
        assert.deepInclude(problem, { status: 400, code, field })
      })
    )

    it.effect("a body over 1 MiB is refused", () =>
      Effect.gen(function* () {
        const problem = yield* refused({ name: "big", kubeconfig: "x".repeat(1024 * 1024) })
        assert.deepInclude(problem, { status: 413, code: "body_too_large" })
        assert.deepInclude(yield* refused({ name: "big", kubeconfig: "x".repeat(300_000) }), { code: "invalid_body" })
      })
    )

    it.effect.each<[KeyName]>([
      ["viewer"],
      ["operator"],
      ["prodViewer"],
      ["prodOperator"],
      ["prodAdmin"],
      ["shopAdmin"],
      ["shopOperator"],
      ["teamViewer"]
    ])("%s may neither register nor drop, and nothing is sent", ([key]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const prod = yield* deployment.fleet.cluster("prod")
        const sent = Effect.map(
          Option.getOrThrow(prod.faults).counters,
          ({ connectionsAccepted }) => connectionsAccepted
        )
        const before = yield* sent
        const body = yield* partsOf("prod")
        assert.deepInclude(yield* refused(body, { key }), { status: 403, code: "role_forbidden" })
        for (const name of ["prod", "hub", "nowhere"]) {
          const problem = yield* deployment.problem(`${PATH}/${name}`, { method: "DELETE", key })
          assert.deepInclude(problem, { status: 403, code: "role_forbidden" })
        }
        assert.strictEqual(yield* sent, before)
        assert.deepStrictEqual(yield* namesOf, ["hub"])
      })
    )

    it.effect("without a key nothing is done", () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* refused(yield* partsOf("prod"), { key: null }), { code: "missing_credential" })
      })
    )

    it.effect("the audit names the cluster twice, before and after, and holds no secret", () =>
      Effect.gen(function* () {
        const body = yield* partsOf("prod")
        yield* register(body, { headers: [["X-Request-Id", "audited-register"]] })
        yield* drop("prod", { headers: [["X-Request-Id", "audited-drop"]] })
        yield* refused({ ...body, token: "nobody-knows-this" }, { headers: [["X-Request-Id", "audited-refused"]] })
        const told = (events: Effect.Success<ReturnType<typeof auditOf>>) =>
          events.map(({ code, resource, status, target, verb }) => [resource, verb, status, code, target])
        const ahead = { asked: "prod", clusters: [] }
        const known = { asked: "prod", clusters: ["prod"] }
        assert.deepStrictEqual(told(yield* auditOf("audited-register", 2)), [
          ["clusters", "create", 0, undefined, ahead],
          ["clusters", "create", 201, undefined, known]
        ])
        assert.deepStrictEqual(told(yield* auditOf("audited-drop", 2)), [
          ["clusters", "delete", 0, undefined, known],
          ["clusters", "delete", 204, undefined, known]
        ])
        assert.deepStrictEqual(told(yield* auditOf("audited-refused", 2)), [
          ["clusters", "create", 0, undefined, ahead],
          ["clusters", "create", 400, "cluster_refused", ahead]
        ])
        const { text } = yield* (yield* Deployment).call("/api/v1/audit?limit=5000", { key: "admin" })
        for (const secret of [body.token, "nobody-knows-this", body.caData]) assert.notInclude(text, secret)
      })
    )

    it.effect("of two at once under one name, one is registered", () =>
      Effect.gen(function* () {
        const body = yield* partsOf("prod")
        const { call } = yield* Deployment
        const replies = yield* Effect.all(
          Array.from({ length: 4 }, () => call(PATH, { method: "POST", key: "admin", body })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          replies.map(({ status }) => status).toSorted((a, b) => a - b),
          [201, 409, 409, 409]
        )
        yield* drop("prod")
      })
    )

    it.effect("the files of the service hold no credential in clear, and a restart finds the cluster again", () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { join: at } = yield* Path.Path
        const { fleet, kubeconfigFile, keysFile } = yield* Deployment
        const body = yield* partsOf("prod")
        const dataDirectory = at(yield* files.makeTempDirectoryScoped(), "data")
        const served = <A, E, R>(use: (url: string) => Effect.Effect<A, E, R>, secretFile?: string) =>
          Effect.scoped(
            Effect.gen(function* () {
              const services = yield* Layer.build(
                Quarterdeck.layer({
                  clusters: {
                    kubeconfig: [kubeconfigFile],
                    allowLoopback: true,
                    ...(secretFile === undefined ? {} : { secretFile })
                  },
                  keys: { file: keysFile },
                  dataDirectory
                })
              )
              const { nodeHandler } = Context.get(services, Quarterdeck)
              const listener = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
              return yield* use(listener.url)
            })
          )
        const post = (url: string) => send(`${url}${PATH}`, { method: "POST", key: "admin", body })
        const list = (url: string) =>
          Effect.map(send(`${url}${PATH}`, { key: "admin" }), ({ text }) => JSON.parse(text) as unknown)

        assert.strictEqual((yield* served(post)).status, 201)
        const names = readdirSync(dataDirectory, { withFileTypes: true }).flatMap((entry) =>
          entry.isFile() ? [entry.name] : []
        )
        assert.includeMembers(names, ["keys.sqlite", "clusters.key"])
        assert.strictEqual(statSync(join(dataDirectory, "clusters.key")).mode & 0o777, 0o600)
        for (const name of names) {
          const bytes = readFileSync(join(dataDirectory, name))
          for (const secret of [body.token, Buffer.from(body.token).toString("base64url"), body.server]) {
            assert.isFalse(bytes.includes(secret), `${name} holds a secret`)
          }
        }
        assert.include(JSON.stringify(yield* served(list)), '"name":"prod"')

        const other = at(dataDirectory, "other.key")
        writeFileSync(other, new Uint8Array(32), { mode: 0o600 })
        const elsewhere = yield* served(list, other)
        assert.notInclude(JSON.stringify(elsewhere), '"name":"prod"')
        assert.strictEqual((yield* served(post, other)).status, 409)
        assert.include(JSON.stringify(yield* served(list)), '"name":"prod"')
        assert.strictEqual(
          (yield* served((url) => send(`${url}${PATH}/prod`, { method: "DELETE", key: "admin" }))).status,
          204
        )
        assert.notInclude(JSON.stringify(yield* served(list)), '"name":"prod"')
        assert.strictEqual(fleet.parent.name, "hub")
        assert.notInclude(Redacted.value((yield* fleet.parent.context("admin")).token), body.token)
      }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
    )
  }
)
