/**
 * A service account as a pod has it: the rights of the docs, and files that the kubelet replaces.
 */
import type { FleetCluster } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import * as Mounted from "./Mounted.ts"

const NAMESPACE = "quarterdeck"
const NAME = "quarterdeck"
/** The shortest life that Kubernetes gives a token. */
const LIFE_SECONDS = 600

const KubeObject = Schema.StructWithRest(
  Schema.Struct({
    apiVersion: Schema.String,
    kind: Schema.String,
    metadata: Schema.StructWithRest(Schema.Struct({ name: Schema.String }), [
      Schema.Record(Schema.String, Schema.Unknown)
    ])
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** The ClusterRole of the docs with its account and their binding, as a reader applies them. */
const documented = Effect.gen(function* () {
  const path = new URL("../../../../docs/tasks/least-clusterrole.yaml", import.meta.url)
  const text = yield* Effect.promise(() => readFile(path, "utf8"))
  return yield* Effect.forEach(parseAllDocuments(text), (document) =>
    Schema.decodeUnknownEffect(KubeObject)(document.toJS())
  )
})

const decodeToken = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ status: Schema.Struct({ token: Schema.NonEmptyString }) }))
)

/** A token that ends when `end` has run, however long it was to live. */
export interface BoundToken {
  readonly text: string
  readonly end: Effect.Effect<void, unknown>
}

/** Makes the account of the docs in a cluster, and tokens of it. */
export const make = Effect.fnUntraced(function* ({ api }: FleetCluster.FleetCluster) {
  yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } })
  for (const object of yield* documented) yield* api.create(object)
  /** Asks for a token, bound to an object of a name that was not used before. */
  const token = Effect.fnUntraced(function* (bound: string) {
    const secret = { apiVersion: "v1", kind: "Secret", name: bound, namespace: NAMESPACE }
    yield* api.create({ apiVersion: "v1", kind: "Secret", metadata: { name: bound, namespace: NAMESPACE } })
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: bound }
    const { text } = yield* api.request({
      method: "POST",
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${NAME}/token`,
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: LIFE_SECONDS, boundObjectRef }
      }
    })
    const { status } = yield* decodeToken(text)
    return { text: status.token, end: Effect.asVoid(api.delete(secret)) } satisfies BoundToken
  })
  return { token }
})

/**
 * Mounts an account's files as the kubelet does: each is a link through `..data`, which moves in one step from one set of
 * them to the next.
 *
 * **Source** Kubernetes, `pkg/volume/util/atomic_writer.go`.
 */
export const mount = Effect.fnUntraced(function* (caPem: string, token: string) {
  const directory = yield* Mounted.directory
  const write = async (set: string, text: string) => {
    await mkdir(join(directory, set), { mode: 0o755 })
    const files = { token: text, "ca.crt": caPem, namespace: NAMESPACE }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(directory, set, name), content, { mode: 0o644 })
    }
    await symlink(set, join(directory, "..data_tmp"))
    await rename(join(directory, "..data_tmp"), join(directory, "..data"))
    return Object.keys(files)
  }
  yield* Effect.promise(async () => {
    for (const name of await write("..set-1", token)) await symlink(join("..data", name), join(directory, name))
  })
  /** Puts another token in the place of the present one. */
  const rotate = (set: string, text: string) =>
    Effect.promise(async () => {
      const before = await readlink(join(directory, "..data"))
      await write(`..${set}`, text)
      await rm(join(directory, before), { recursive: true })
    })
  return { directory, rotate }
})
