/** What a reader is told when the scope of its key moves between two looks at it. */
import { assert } from "@effect/vitest"
import { WatchTimes } from "@quarterdeck/cluster-fanout/WorkloadWatch"
import { Context, Effect } from "effect"
import { Deployment } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { openReady, until, workloads } from "./StreamReader.ts"

const NAMESPACE = "leaving"
const inNamespace = (name: string) => ({ ...deploymentNamed(name), metadata: { name, namespace: NAMESPACE } })

/** The scope is looked at with each change alone, not four times a second too. */
const limits = Context.make(WatchTimes, { surveyMs: 600_000, idleMs: 600_000 })

onOneDriver("a scope that moves", { children: ["prod"], limits }, (it) => {
  it.effect("a row that goes in the moment in which its namespace leaves the key's scope is gone", () =>
    Effect.gen(function* () {
      const { api } = yield* (yield* Deployment).fleet.cluster("prod")
      const labelled = (team: string) =>
        api.patch({ apiVersion: "v1", kind: "Namespace", name: NAMESPACE }, { metadata: { labels: { team } } })
      yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } })
      const all = yield* openReady(workloads, "/api/v1/workloads/watch", { target: "prod" })
      const scoped = yield* openReady(workloads, "/api/v1/workloads/watch", { target: "prod", key: "teamViewer" })
      const has = (reader: typeof all, name: string) => [...reader.rows.values()].some((row) => row.name === name)

      yield* labelled("storefront")
      yield* api.create(inNamespace("first"))
      yield* until("the row comes", scoped, (reader) => has(reader, "first"))
      yield* api.delete({ apiVersion: "apps/v1", kind: "Deployment", namespace: NAMESPACE, name: "first" })
      yield* labelled("checkout")
      yield* until("everybody is told", all, (reader) => !has(reader, "first"))
      yield* until("the row goes", scoped, (reader) => !has(reader, "first"), "2 seconds")

      yield* api.create(inNamespace("second"))
      yield* until("the others are told", all, (reader) => has(reader, "second"))
      assert.isFalse(has(scoped, "second"))
    }).pipe(Effect.scoped)
  )
})
