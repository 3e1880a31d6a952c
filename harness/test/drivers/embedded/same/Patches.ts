import { Effect } from "effect"
import type { Json, JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching, pod } from "../Client.ts"
import { namespace, same, type Suite } from "./Pair.ts"

const JSON_PATCH = "application/json-patch+json"
const PAST = "2020-01-01T00:00:00Z"

/** What a patch may say, and what it may not touch. */
export const patches = (it: Suite): void => {
  it.effect(
    "on metadata that a change may not touch, and on what it may",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "c" } } })
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        for (const plural of ["deployments", "replicasets"])
          yield* same("POST", `${apps}/${plural}`, { body: deployment("web") })
        const changes: ReadonlyArray<JsonObject> = [
          { namespace: "other" },
          { namespace: "other", uid: "x" },
          { namespace: null, uid: null },
          { uid: "x" },
          { deletionTimestamp: PAST },
          { deletionGracePeriodSeconds: 7 },
          { uid: "x", deletionTimestamp: PAST },
          { creationTimestamp: PAST, generation: 77 },
          { generateName: "made-" },
          { labels: { a: "b" }, annotations: { a: "b" } }
        ]
        const web = `${apps}/deployments/web`
        const paths = [`${core}/configmaps/c`, `${core}/pods/p`, `${core}/pods/p/status`, web]
        for (const path of [...paths, `${web}/status`, `${apps}/replicasets/web/status`, core])
          for (const metadata of changes) yield* same("PATCH", path, patching({ metadata }))
        for (const metadata of changes)
          yield* same("PUT", web, { body: { ...deployment("web"), metadata: { name: "web", ...metadata } } })
      }),
    120_000
  )

  it.effect(
    "on scales of another place, of another object, and of nothing",
    () =>
      Effect.gen(function* () {
        const { apps, name } = yield* namespace
        yield* same("POST", `${apps}/deployments`, { body: deployment("web") })
        const scale = `${apps}/deployments/web/scale`
        const metadata: ReadonlyArray<JsonObject> = [
          { name: "web", namespace: "other" },
          { name: "web", namespace: name },
          { name: "web", uid: "x" },
          { namespace: "other" },
          { name: "other" }
        ]
        for (const one of metadata) {
          yield* same("PUT", scale, { body: { metadata: one, spec: { replicas: 3 } } })
          yield* same("PATCH", scale, patching({ metadata: one }))
        }
        yield* same("PUT", scale, { body: { metadata: { name: "web" } } })
        yield* same("GET", scale)
        yield* same("PATCH", scale, patching({ spec: { replicas: 1 } }))
      }),
    120_000
  )

  it.effect(
    "on lists of operations",
    () =>
      Effect.gen(function* () {
        const { core } = yield* namespace
        const patches: ReadonlyArray<Json> = [
          [{ op: "remove", path: "/metadata/finalizers/-1" }],
          [{ op: "remove", path: "/metadata/finalizers/-3" }],
          [{ op: "add", path: "/metadata/finalizers/-1", value: "a.b/z" }],
          [{ op: "add", path: "/metadata/finalizers/-3", value: "a.b/z" }],
          [{ op: "add", path: "/metadata/finalizers/-4", value: "a.b/z" }],
          [{ op: "replace", path: "/metadata/finalizers/-1", value: "a.b/z" }],
          [{ op: "replace", path: "/metadata/finalizers/01", value: "a.b/z" }],
          [{ op: "replace", path: "/metadata/finalizers/+1", value: "a.b/z" }],
          [{ op: "replace", path: "/metadata/finalizers/-", value: "a.b/z" }],
          [{ op: "replace", path: "/metadata/finalizers/1e0", value: "a.b/z" }],
          [{ op: "test", path: "/metadata/finalizers/-0", value: "a.b/c" }],
          [{ op: "test", path: "/metadata/finalizers/9", value: null }],
          [{ op: "test", path: "/nope", value: null }],
          [{ op: "test", path: "/nope" }],
          [{ op: "test", path: "/nope", value: "" }],
          [{ op: "test", path: "/nope/x", value: null }],
          [{ op: "test", path: "/data/a", value: null }],
          [{ op: "test", path: "", value: {} }],
          [{ op: "test", path: "/", value: null }],
          [{ op: "move", from: "/data/none", path: "/data/x" }],
          [{ op: "copy", from: "/metadata/finalizers/9", path: "/data/x" }],
          [{ op: "copy", from: "", path: "/data/x" }],
          [{ op: "move", from: "/data", path: "" }],
          [{ op: "add", path: "data/x", value: "1" }],
          [{ op: "add", path: "x/data/y", value: "1" }],
          [{ op: "remove", path: "data" }],
          [{ op: "add", path: "", value: {} }],
          [{ op: "remove", path: "" }],
          [{ op: "replace", path: "", value: 1 }],
          [{ op: "remove", path: 5 }],
          [{ op: 5, path: "/data" }],
          [{ op: "move", path: "/data", from: {} }],
          [{ op: null, path: "/data" }],
          [{ op: "frobnicate", path: "/data" }, 1],
          ["x"],
          [[]],
          [null],
          null,
          true
        ]
        for (const [place, patch] of patches.entries()) {
          const name = `c-${place}`
          yield* same("POST", `${core}/configmaps`, {
            body: { metadata: { name, finalizers: ["a.b/c", "a.b/d"] }, data: { a: "1" } }
          })
          yield* same("PATCH", `${core}/configmaps/${name}`, { body: JSON.stringify(patch), type: JSON_PATCH })
        }
      }),
    120_000
  )

  it.effect(
    "on bad patches of what does not exist",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        const types = [JSON_PATCH, "application/merge-patch+json", "application/strategic-merge-patch+json"]
        for (const path of [`${core}/configmaps/none`, `${apps}/deployments/none/scale`])
          for (const type of types)
            for (const body of ["{", "[]", "{}", '[{"op":"frobnicate","path":"/x"}]'])
              yield* same("PATCH", path, { body, type })
      }),
    120_000
  )
}
