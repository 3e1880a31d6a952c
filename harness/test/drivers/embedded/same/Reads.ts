import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isArray, isObject, type Json, parse, textAt } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching, pod, VIEWER } from "../Client.ts"
import { cellsOf, namespace, normal, Pair, same, type Suite } from "./Pair.ts"

/** What is read, deleted, and not allowed. */
export const reads = (it: Suite): void => {
  it.effect(
    "on selectors, versions and pages",
    () =>
      Effect.gen(function* () {
        const { core, name } = yield* namespace
        for (const one of ["a", "b", "c"])
          yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: one, labels: { name: one } } } })
        const queries = [
          "labelSelector=name%3D%3D%3Db",
          "labelSelector=name%20in%20(b",
          "labelSelector=name%20in%20(a,c)",
          "labelSelector=name%20notin%20(a),name",
          "labelSelector=!name",
          "labelSelector=name%3Ex",
          "labelSelector=-a%3Db",
          "fieldSelector=data%3Dx",
          "fieldSelector=metadata.name!%3Da",
          "limit=x",
          "limit=2&resourceVersion=0",
          "resourceVersion=abc",
          "resourceVersion=99999999",
          "resourceVersionMatch=Exact",
          "resourceVersion=0&resourceVersionMatch=Exact",
          "resourceVersion=10&resourceVersionMatch=Foo",
          "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          "watch=1&resourceVersion=abc",
          "watch=1&sendInitialEvents=true",
          "watch=1&resourceVersionMatch=NotOlderThan",
          "watch=1&resourceVersionMatch=Exact",
          "watch=1&continue=x",
          "watch=1&resourceVersion=0&continue=x",
          "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
          "resourceVersion=1&limit=1&fieldSelector=metadata.name%3Db",
          "resourceVersion=1&limit=1&fieldSelector=metadata.name!%3Db",
          "resourceVersion=1&limit=1&fieldSelector=metadata.name%3Db&labelSelector=name%3Da",
          "resourceVersion=99999999&limit=1&fieldSelector=metadata.name%3Db",
          "resourceVersion=99999999&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Db"
        ]
        for (const query of queries) yield* same("GET", `${core}/configmaps?${query}`)
        for (const query of ["resourceVersion=0", "resourceVersion=5", "limit=1", ""])
          for (const match of ["Exact", "NotOlderThan", "Foo"])
            yield* same("GET", `${core}/configmaps?${query}&resourceVersionMatch=${match}&continue=x`)
        const named = `fieldSelector=metadata.name%3Db,metadata.namespace%3D${name}`
        yield* same("GET", `/api/v1/configmaps?resourceVersion=1&limit=1&${named}`)
        const pair = yield* Pair
        const pages = yield* Effect.forEach([pair.embedded, pair.real], (client) =>
          Effect.gen(function* () {
            const first = yield* client.call("GET", `${core}/configmaps?limit=1&labelSelector=name`)
            const token = textAt(first.json, "metadata", "continue")
            const second = yield* client.call("GET", `${core}/configmaps?limit=1&continue=${token}`)
            const start: Json = parse(Buffer.from(token, "base64url").toString())
            const rest = yield* client.call("GET", `${core}/configmaps?limit=1&resourceVersion=0&continue=${token}`)
            return [textAt(start, "start"), normal(second.json), normal(rest.json)]
          })
        )
        assert.deepStrictEqual(withoutTokens(pages[0] ?? []), withoutTokens(pages[1] ?? []))
      }),
    120_000
  )

  it.effect(
    "on what is compressed, and for whom",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const { embedded, real } = yield* Pair
        for (const name of ["a", "b"])
          yield* same("POST", `${core}/configmaps`, { body: { metadata: { name }, data: { k: "x".repeat(100_000) } } })
        const asked = ["gzip", "deflate, gzip", "gzip;q=0", "gzip; q=0.0", "gzip;q=0.5", "GZIP", "*", "identity"]
        for (const acceptEncoding of asked) {
          const [ours, theirs] = yield* Effect.forEach([embedded, real], (client) =>
            client.call("GET", `${core}/configmaps`, { acceptEncoding })
          )
          const [one, other] = [ours, theirs].map((answer) => answer?.headers["content-encoding"])
          assert.strictEqual(one, other, acceptEncoding)
        }
      }),
    120_000
  )

  it.effect(
    "on deletions",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        yield* same("DELETE", `${core}/pods/p`, { body: { preconditions: { uid: "no" } } })
        yield* same("POST", `${core}/pods/p/binding`, {
          body: { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } }
        })
        yield* same("POST", `${core}/pods/p/binding`, {
          body: { metadata: { name: "p" }, target: { kind: "Node", name: "n1" } }
        })
        yield* same("DELETE", `${core}/pods/p`)
        yield* same("DELETE", `${core}/pods/p?gracePeriodSeconds=5`)
        yield* same("DELETE", `${core}/pods/p?gracePeriodSeconds=0`)
        yield* same("DELETE", `${core}/pods/p`)
        yield* same("POST", `${core}/pods`, {
          body: { ...pod("held"), metadata: { name: "held", finalizers: ["a.b/c"] } }
        })
        yield* same("DELETE", `${core}/pods/held`)
        yield* same("PATCH", `${core}/pods/held`, patching({ metadata: { finalizers: null } }))
        yield* same("GET", `${core}/pods/held`)
        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "c" } } })
        yield* same("DELETE", `${core}/configmaps/c?dryRun=All`)
        yield* same("DELETE", `${core}/configmaps/c`)
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        yield* same("DELETE", `${apps}/deployments/web`, { body: { propagationPolicy: "Sideways" } })
        yield* same("DELETE", `${apps}/deployments/web`, { body: { propagationPolicy: "Background" } })
        yield* same("DELETE", `${core}/pods`)
        yield* same("DELETE", "/api/v1/namespaces/default")
      }),
    120_000
  )

  it.effect(
    "on who may, and on what is not there",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const paths = [
          `${core}/pods`,
          `${core}/pods/x/log`,
          "/api/v1/nodes/x",
          "/apis/apps/v1/widgets",
          "/metrics",
          "/version",
          "/readyz"
        ]
        for (const path of paths) for (const token of ["", "wrong", VIEWER]) yield* same("GET", path, { token })
        for (const path of [
          "/foo",
          "/api/v2",
          "/apis/nope/v1",
          "/apis/apps/v2/deployments",
          `${core}/nodes`,
          `${core}/pods/x/widgets`
        ]) {
          yield* same("GET", path)
        }
        for (const path of [`${core}/pods`, `${core}/pods/x`, `${core}/pods/x/log`, "/api/v1/pods/x", "/api/v1/nodes"])
          for (const token of [undefined, VIEWER]) yield* same("OPTIONS", path, token === undefined ? {} : { token })
        for (const path of [`${core}/pods`, `${core}/pods/x/log`, `${core}/pods/x/status`]) yield* same("HEAD", path)
        const { embedded, real } = yield* Pair
        for (const client of [embedded, real])
          assert.isUndefined((yield* client.call("GET", "/version", { token: "wrong" })).headers["www-authenticate"])
        yield* same("POST", `${core}/pods/x`, { body: {} })
        yield* same("DELETE", "/api/v1/namespaces")
        yield* same("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          body: { spec: { nonResourceAttributes: { verb: "get", path: "/apis" } } },
          token: VIEWER
        })
      }),
    120_000
  )

  it.effect(
    "on tables",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        const gated = pod("gated", { schedulingGates: [{ name: "example.com/hold" }] })
        yield* same("POST", `${core}/pods`, { body: gated })
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        const pair = yield* Pair
        for (const path of [`${core}/pods`, `${apps}/deployments`, `${core}/services`, core]) {
          const tables = yield* Effect.forEach([pair.embedded, pair.real], (client) =>
            client.call("GET", path, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
          )
          const [ours, theirs] = tables.map(({ json }) => cellsOf(json))
          assert.deepStrictEqual(ours, theirs, path)
        }
      }),
    120_000
  )
}

const withoutTokens = (value: Json): Json =>
  isArray(value)
    ? value.map(withoutTokens)
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => key !== "continue")
            .map(([key, one]) => [key, withoutTokens(one)])
        )
      : value
