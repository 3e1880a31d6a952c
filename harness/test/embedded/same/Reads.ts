import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isArray, isObject, type Json, parse, textAt } from "../../../src/embedded/Json.ts"
import { deployment, patching, pod, VIEWER } from "../Client.ts"
import { cellsOf, namespace, normal, Pair, same, type Suite } from "./Pair.ts"

/** What is read, deleted, and not allowed. */
export const reads = (it: Suite): void => {
  it.effect(
    "on selectors, versions and pages",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        for (const name of ["a", "b", "c"])
          yield* same("POST", `${core}/configmaps`, { body: { metadata: { name, labels: { name } } } })
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
          "watch=1&resourceVersionMatch=NotOlderThan"
        ]
        for (const query of queries) yield* same("GET", `${core}/configmaps?${query}`)
        const pair = yield* Pair
        const pages = yield* Effect.forEach([pair.embedded, pair.real], (client) =>
          Effect.gen(function* () {
            const first = yield* client.call("GET", `${core}/configmaps?limit=1&labelSelector=name`)
            const token = textAt(first.json, "metadata", "continue")
            const second = yield* client.call("GET", `${core}/configmaps?limit=1&continue=${token}`)
            const start: Json = parse(Buffer.from(token, "base64url").toString())
            return [textAt(start, "start"), normal(second.json)]
          })
        )
        assert.deepStrictEqual(withoutTokens(pages[0] ?? []), withoutTokens(pages[1] ?? []))
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
