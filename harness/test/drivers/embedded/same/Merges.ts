import { Effect } from "effect"
import type { Json, JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { patching, pod } from "../Client.ts"
import { namespace, same, type Suite } from "./Pair.ts"

const STRATEGIC = "application/strategic-merge-patch+json"

/** Two ports of one number: their key is the same. */
const pair = (field: string, port: number): ReadonlyArray<JsonObject> =>
  ["UDP", "TCP"].map((protocol) => ({ name: `p${port}-${protocol.toLowerCase()}`, [field]: port, protocol }))

/** What a strategic merge patch makes of lists and directives. */
export const merges = (it: Suite): void => {
  it.effect(
    "on the lists and the directives of a strategic merge patch",
    () =>
      Effect.gen(function* () {
        const { apps, core } = yield* namespace
        yield* same("POST", `${core}/services`, {
          body: { metadata: { name: "s" }, spec: { clusterIP: "None", selector: { a: "b" } } }
        })
        const onService = (spec: JsonObject) => same("PATCH", `${core}/services/s`, patching({ spec }, STRATEGIC))
        for (const port of [53, 54]) yield* onService({ ports: pair("port", port) })
        yield* onService({ ports: [{ port: 53, $patch: "delete" }] })
        yield* onService({ ports: [{ name: "x", port: 1 }, { $patch: "replace" }] })
        yield* onService({ ports: [{ $patch: "replace" }] })
        for (const directive of ["replace", "delete", "nope", "merge"])
          yield* onService({ selector: { $patch: directive, z: "y" } })

        const containers = [
          {
            name: "c",
            image: "i",
            ports: [{ containerPort: 80 }],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" }
            ]
          },
          { name: "s", image: "s", args: ["x"] }
        ]
        const template = { metadata: { labels: { a: "b" } }, spec: { containers } }
        yield* same("POST", `${apps}/deployments`, {
          body: { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } }
        })
        const change = (body: JsonObject) =>
          same("PATCH", `${apps}/deployments/d?dryRun=All`, patching(body, STRATEGIC))
        const inPod = (spec: JsonObject) => change({ spec: { template: { spec } } })
        const lists: ReadonlyArray<Json> = [
          [{ name: "c", ports: pair("containerPort", 53) }],
          [{ name: "s", ports: pair("containerPort", 53) }],
          [{ name: "c", $patch: "replace", image: "new" }],
          [{ name: "c", image: "new" }, { $patch: "replace" }],
          [{ name: "c", $patch: "merge" }],
          [{ name: "c", $patch: "nope" }],
          [{ $patch: "delete" }],
          ["x"],
          [{ name: "s", args: ["y", "z"] }],
          [
            {
              name: "n",
              image: "n",
              env: [
                { name: "z", value: null },
                { name: "q", $patch: "delete" }
              ]
            }
          ]
        ]
        for (const one of lists) yield* inPod({ containers: one })
        const order = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))
        const orders: ReadonlyArray<readonly [Json, Json]> = [
          [[{ name: "n", image: "n" }], order("c")],
          [[{ name: "n", image: "n" }], order("n", "s", "c")],
          [
            [
              { name: "s", image: "q" },
              { name: "c", image: "q" }
            ],
            order("c", "s")
          ],
          [[{ name: "c", $patch: "delete" }], order("s")],
          [[{ image: "n" }], order("s")],
          [[], "x"],
          ["x", []]
        ]
        for (const [list, wanted] of orders) yield* inPod({ containers: list, "$setElementOrder/containers": wanted })
        yield* inPod({ "$setElementOrder/containers": order("s", "c") })
        const env = { env: [{ name: "N", value: "n" }], "$setElementOrder/env": order("B", "A", "N") }
        yield* inPod({ containers: [{ name: "c", ...env }] })
        const strategies: ReadonlyArray<JsonObject> = [
          { $retainKeys: ["x"], type: "Recreate" },
          { $retainKeys: "type", type: "Recreate" },
          { $retainKeys: [], rollingUpdate: null },
          { $retainKeys: ["type", "rollingUpdate"], rollingUpdate: { maxSurge: 2 } }
        ]
        for (const strategy of strategies) yield* change({ spec: { strategy } })
        yield* change({ $patch: "nope" })
        yield* change({ metadata: { annotations: { $patch: "replace", a: "b" } } })
        yield* inPod({ nodeSelector: { a: null }, volumes: [{ name: "w", $patch: "delete" }, { name: "v" }] })

        yield* same("POST", `${core}/configmaps`, { body: { metadata: { name: "m", finalizers: ["a.b/c", "a.b/d"] } } })
        const metas: ReadonlyArray<JsonObject> = [
          { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] },
          { finalizers: ["a.b/e"], "$setElementOrder/finalizers": ["a.b/e", "a.b/c"] },
          { finalizers: ["a.b/e"], "$setElementOrder/finalizers": ["a.b/c"] },
          { finalizers: [1] }
        ]
        for (const metadata of metas) yield* same("PATCH", `${core}/configmaps/m`, patching({ metadata }, STRATEGIC))
        yield* same("POST", `${core}/pods`, { body: pod("p") })
        const conditions = ["A", "B"].map((type) => ({ type, status: "True" }))
        for (const status of [{ conditions }, { conditions: [] }, { conditions: [{ $patch: "replace" }] }])
          yield* same("PATCH", `${core}/pods/p/status`, patching({ status }, STRATEGIC))
      }),
    120_000
  )
}
