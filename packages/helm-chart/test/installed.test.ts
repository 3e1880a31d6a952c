import { assert, describe, it, layer } from "@effect/vitest"
import { type ClusterApi, Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { KeysFile } from "@quarterdeck/keys"
import { Effect, Result } from "effect"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { stringify } from "yaml"
import { NAMESPACE } from "./Chart.ts"
import { DOORS, type Verdict } from "./Doors.ts"
import * as Kubelet from "./Kubelet.ts"
import { available, sayIfLeftOut, temporaryDirectory } from "./Programs.ts"
import { releaseOf } from "./Release.ts"
import * as Server from "./Server.ts"

const CI = "ci-0123456789-abcdefghijklmnop"
const TEAM = "team-0123456789-abcdefghijklmn"
const TWICE = "twice-0123456789-abcdefghijklm"

const sha256 = (key: string): string => createHash("sha256").update(key).digest("hex")

const viewerOf = (name: string, hash: string, cluster: string) => ({
  name,
  hash,
  rule: { role: "Viewer", targetClusters: [cluster] }
})

/** Embedded clusters serve no NetworkPolicies. */
const BASE = { networkPolicy: { enabled: false }, kubeconfigs: { secretName: "children" } }

const putSecret = (api: ClusterApi.ClusterApi, name: string, stringData: Readonly<Record<string, string>>) =>
  api.apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: NAMESPACE }, stringData })

/** Puts a release's pod onto this machine: its files as the kubelet mounts them, and the server that reads them. */
const start = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi, name: string) {
  const root = yield* temporaryDirectory
  const pod = yield* Kubelet.podTemplate(api, name)
  yield* Kubelet.sync(api, pod, root)
  const server = yield* Server.serve(pod, root)
  return { pod, root, server, sync: Kubelet.sync(api, pod, root) }
})

/** What each door says to a key that asks for a cluster. */
const says = (server: Server.Served, key: string, cluster: string, verdict: Verdict) =>
  Effect.forEach(DOORS, ({ ask, name }) =>
    Effect.map(ask(server.url, key, cluster), (seen) =>
      assert.strictEqual(seen, verdict, `${name}, ${key}, ${cluster}`)
    )
  )

/** Waits until each door says it: the server has 5 s from the change of the mounted file. */
const comesToSay = (server: Server.Served, key: string, cluster: string, verdict: Verdict) =>
  Effect.forEach(
    DOORS,
    ({ ask, name }) =>
      eventually(`${name}: ${verdict}`, ask(server.url, key, cluster), (seen) => seen === verdict, {
        within: "5 seconds"
      }),
    { concurrency: "unbounded" }
  )

const onCluster = layer(Fleet.layer({ driver: Embedded.driver, parent: "hub", children: ["prod", "stage"] }))

for (const programs of available("helm")) {
  describe(`a release that ${programs} installed`, () => {
    onCluster((it) => {
      const prepare = Effect.gen(function* () {
        const fleet = yield* Fleet
        const { api, kubeconfig } = fleet.parent
        const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }
        yield* api.apply(namespace)
        yield* putSecret(api, "children", { kubeconfig: fleet.kubeconfig })
        return { api, kubeconfig }
      })

      it.effect(
        "begins with a first key; one of apiKeys.keys is let in within its scope, and forgotten with its entry",
        () =>
          Effect.gen(function* () {
            const { api, kubeconfig } = yield* prepare
            const release = yield* releaseOf(kubeconfig, "quarterdeck", BASE)
            const notes = yield* release.install({})
            assert.match(notes, /kubectl -n quarterdeck rollout status statefulset\/quarterdeck/)
            assert.notInclude(notes, "Keys of", "there are none of the deployment")
            const { pod, root, server, sync } = yield* start(api, "quarterdeck")
            const [, path = ""] = /readFileSync\("([^"]+)"/.exec(notes) ?? []
            const first = yield* Effect.promise(() => readFile(join(root, path), "utf8"))
            yield* says(server, first.trim(), "hub", "in")

            const ci = viewerOf("ci", yield* Server.hashOf(CI), "prod")
            yield* says(server, CI, "prod", "unknown")
            yield* release.upgrade({ apiKeys: { keys: [ci] } })
            yield* sync
            yield* comesToSay(server, CI, "prod", "in")
            yield* says(server, CI, "stage", "out of scope")

            yield* release.upgrade({ apiKeys: { keys: [viewerOf("team", sha256(TEAM), "stage")] } })
            yield* sync
            yield* comesToSay(server, CI, "prod", "unknown")
            yield* says(server, TEAM, "stage", "in")
            assert.deepStrictEqual(yield* Kubelet.podTemplate(api, "quarterdeck"), pod, "no new pod for keys")

            yield* release.upgrade({ settings: { limits: { keyPerSecond: 1_000_000 } } })
            const { metadata } = yield* Kubelet.podTemplate(api, "quarterdeck")
            assert.notDeepEqual(metadata, pod.metadata, "a new pod for settings")

            yield* release.uninstall
            const { items } = yield* api.list({ apiVersion: "apps/v1", kind: "StatefulSet", namespace: NAMESPACE })
            assert.notInclude(
              items.map(({ metadata }) => metadata.name),
              "quarterdeck"
            )
          })
      )

      it.effect("lets a key of apiKeys.secretName in, within its scope, and forgets it with its entry", () =>
        Effect.gen(function* () {
          const { api, kubeconfig } = yield* prepare
          yield* putSecret(api, "team-keys", { keys: stringify([viewerOf("team", sha256(TEAM), "stage")]) })
          const release = yield* releaseOf(kubeconfig, "secret", BASE)
          // As big as the setting may be: a text of values has it as a floating point number.
          yield* release.install({
            apiKeys: { secretName: "team-keys" },
            settings: { limits: { keyPerSecond: 1_000_000 } }
          })

          const { server, sync } = yield* start(api, "secret-quarterdeck")
          yield* says(server, TEAM, "stage", "in")
          yield* says(server, TEAM, "prod", "out of scope")

          yield* putSecret(api, "team-keys", { keys: stringify([viewerOf("ci", sha256(CI), "prod")]) })
          yield* sync
          yield* comesToSay(server, TEAM, "stage", "unknown")
          yield* says(server, CI, "prod", "in")
        })
      )

      it.effect("reads both ways as one list, of which entries with one hash do not load", () =>
        Effect.gen(function* () {
          const { api, kubeconfig } = yield* prepare
          const twice = viewerOf("twice", sha256(TWICE), "stage")
          yield* putSecret(api, "more-keys", { keys: stringify([viewerOf("team", sha256(TEAM), "stage"), twice]) })
          const release = yield* releaseOf(kubeconfig, "both", BASE)
          const keys = [viewerOf("ci", sha256(CI), "prod"), { ...twice, name: "other" }]
          yield* release.install({ apiKeys: { keys, secretName: "more-keys" } })

          const root = yield* temporaryDirectory
          yield* Kubelet.sync(api, yield* Kubelet.podTemplate(api, "both-quarterdeck"), root)
          const paths = yield* Server.keysFiles(root)
          const lists = yield* Effect.forEach(paths, (path) =>
            Effect.map(
              Effect.promise(() => readFile(path, "utf8")),
              (text) => ({
                path,
                entries: Result.getOrThrow(KeysFile.parseList(text))
              })
            )
          )
          const read = KeysFile.fromLists(lists)
          assert.deepStrictEqual(
            read.keys.map(({ name }) => name),
            ["ci", "team"]
          )
          assert.deepStrictEqual(
            read.refused.map(({ file, label }) => [file, label.replace(/ \(.*/, "")]),
            [
              [0, 'entry "other"'],
              [1, 'entry "twice"']
            ]
          )
        })
      )
    })
  })
}
sayIfLeftOut(it, "helm")
