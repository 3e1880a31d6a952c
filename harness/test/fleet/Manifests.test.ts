import { assert, describe, it, layer } from "@effect/vitest"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Result, Schema } from "effect"
import { stringify } from "yaml"
import * as Drivers from "../../src/drivers/Drivers.ts"
import * as Manifests from "../../src/fleet/Manifests.ts"
import { objectsIn } from "../../src/fleet/ManifestFiles.ts"
import { configMapRef, configMaps, namesOf } from "../conformance/Fixture.ts"
import { bothKinds } from "../drivers/BothKinds.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"
import { Cluster, definition, freshNamespace, namespace, statusOf, WIDGETS, widget } from "../state/Fixture.ts"

const LIMIT = 120_000
const { run } = await Effect.runPromise(Drivers.selected)

/** Writes files below a directory of the test, and gives where they are. */
const written = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const directory = yield* temporaryDirectory
  yield* Effect.promise(async () => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), text)
    }
  })
  return directory
})

const map = (name: string, data = "key: value") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`

const loaded = Effect.fnUntraced(function* (text: string) {
  const directory = yield* written({ "a.yaml": text })
  return yield* Manifests.load([join(directory, "a.yaml")])
})

const refusalOf = Effect.fnUntraced(function* (text: string) {
  const directory = yield* written({ "a.yaml": text })
  const { message } = yield* Effect.flip(Manifests.load([directory]))
  return message.replace(`${directory}/`, "")
})

describe("Manifests", () => {
  it.effect("reads the files of a directory by name, and their documents and lists in order", () =>
    Effect.gen(function* () {
      const list = { apiVersion: "v1", kind: "List", items: ["d", "e"].map((name) => namespace(name)) }
      const typed = { apiVersion: "v1", kind: "ConfigMapList", items: [{ metadata: { name: "f" } }] }
      const directory = yield* written({
        "20.yaml": `# nothing yet\n---\n${map("b")}---\n---\n${map("c")}`,
        "10.yml": map("a"),
        "30.json": JSON.stringify(list),
        "40.yaml": stringify(typed),
        "notes.txt": "no manifest",
        "below/50.yaml": map("not-read")
      })
      const found = yield* Manifests.load([directory, join(directory, "below/50.yaml")])
      assert.deepStrictEqual(
        found.map(({ document, file, object }) => [
          file.slice(directory.length + 1),
          document,
          `${object.kind} ${object.metadata.name}`
        ]),
        [
          ["10.yml", 1, "ConfigMap a"],
          ["20.yaml", 1, "ConfigMap b"],
          ["20.yaml", 3, "ConfigMap c"],
          ["30.json", 1, "Namespace d"],
          ["30.json", 1, "Namespace e"],
          ["40.yaml", 1, "ConfigMap f"],
          ["below/50.yaml", 1, "ConfigMap not-read"]
        ]
      )
    })
  )

  it.effect("reads numbers, truth and merged keys as kubectl does", () =>
    Effect.gen(function* () {
      const [first] = yield* loaded(
        "base: &base {a: 1}\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"
          + "spec: {mode: 0644, port: 80, on: yes, off: No, text: '0644', time: 12:30, more: {<<: *base, b: 2}}\n"
      )
      assert.deepStrictEqual(first?.object["spec"], {
        mode: 0o644,
        port: 80,
        true: true,
        false: false,
        text: "0644",
        time: "12:30",
        more: { a: 1, b: 2 }
      })
    })
  )

  it.effect("says which file and document is no manifest, and why", () =>
    Effect.gen(function* () {
      assert.match(yield* refusalOf(`${map("a")}---\nkind: [\n`), /^a\.yaml, document 2: .*at line/)
      assert.match(yield* refusalOf("just: text\n"), /^a\.yaml, document 1: not a Kubernetes object: .*apiVersion/s)
      assert.match(yield* refusalOf("a: 1\na: 2\n"), /^a\.yaml, document 1: Map keys must be unique/)
      const list = "apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: Pod, metadata: {}}\n  - {a: 1}\n"
      assert.match(yield* refusalOf(list), /^a\.yaml, document 1: item 2 of the list: not a Kubernetes object/)
      const missing = yield* Effect.flip(Manifests.load(["/nowhere/a.yaml"]))
      assert.match(missing.message, /^\/nowhere\/a\.yaml: ENOENT/)
    })
  )

  it.prop(
    "takes the items of lists in lists one by one, in order",
    [Schema.Array(Schema.Array(Schema.String))],
    ([groups]) => {
      const items = groups.map((names) => ({
        apiVersion: "v1",
        kind: "ConfigMapList",
        items: names.map((name) => ({ metadata: { name } }))
      }))
      const objects = objectsIn({ apiVersion: "v1", kind: "List", items })
      assert.deepStrictEqual(
        Result.getOrThrow(objects).map(({ kind, metadata }) => [kind, metadata.name]),
        groups.flat().map((name) => ["ConfigMap", name])
      )
    }
  )
})

for (const driver of bothKinds(run)) {
  layer(Cluster.layer(driver), { timeout: "2 minutes" })(`Manifests on the ${driver.name} driver`, (it) => {
    it.effect(
      "applies kinds first, then namespaces, then the rest, whatever the order of the files",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const directory = yield* written({
            "1.yaml": `${stringify(widget("from-file", "one"))}---\n${map("plain")}`,
            "2.yaml": stringify(namespace("from-file")),
            "3.yaml": stringify(definition)
          })
          const applied = yield* Manifests.apply(cluster, [directory])
          assert.deepStrictEqual(
            applied.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`),
            [
              "CustomResourceDefinition /widgets.state.example.com",
              "Namespace /from-file",
              "Widget from-file/one",
              "ConfigMap default/plain"
            ]
          )
          assert.strictEqual(yield* statusOf(cluster.api, WIDGETS), 200)
          const again = yield* Manifests.apply(cluster, [directory])
          assert.deepStrictEqual(
            again.slice(2).map(({ metadata }) => metadata.resourceVersion),
            applied.slice(2).map(({ metadata }) => metadata.resourceVersion)
          )
        }),
      LIMIT
    )

    it.effect(
      "puts objects into the namespace that is asked for, and takes over fields of others",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const home = yield* freshNamespace(cluster.api)
          const directory = yield* written({ "a.yaml": map("a"), "b.yaml": map("b", "key: yes-as-text") })
          yield* Manifests.apply(cluster, [directory], { namespace: home })
          const other = yield* written({ "a.yaml": map("a", "key: new") })
          yield* Manifests.apply(cluster, [other], { namespace: home, fieldManager: "somebody-else" })
          const { items } = yield* cluster.api.list({
            ...configMaps(home),
            fieldSelector: "metadata.name!=kube-root-ca.crt"
          })
          assert.deepStrictEqual(namesOf(items), ["a", "b"])
          assert.deepStrictEqual((yield* cluster.api.get(configMapRef(home, "a")))["data"], { key: "new" })
        }),
      LIMIT
    )

    it.effect(
      "says which object of which file and document the cluster refused",
      () =>
        Effect.gen(function* () {
          const cluster = yield* Cluster
          const refusal = Effect.fnUntraced(function* (text: string) {
            const directory = yield* written({ "a.yaml": text })
            const error = yield* Effect.flip(Manifests.apply(cluster, [directory]))
            return error.message.replace(`${directory}/`, "")
          })
          assert.match(
            yield* refusal(`${map("fine")}---\n${map("Not_Valid")}`),
            /^a\.yaml, document 2, ConfigMap Not_Valid: 422 Invalid: .*Not_Valid/
          )
          assert.strictEqual(
            yield* refusal("apiVersion: v1\nkind: Oddity\nmetadata: {name: a, namespace: default}\n"),
            "a.yaml, document 1, Oddity default/a: the cluster serves no kind Oddity in v1"
          )
          assert.strictEqual(
            yield* refusal("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n"),
            "a.yaml, document 1, ConfigMap : the object has no metadata.name, which apply requires"
          )
        }),
      LIMIT
    )
  })
}
