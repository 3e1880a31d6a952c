/**
 * What a kubelet makes of a pod's volumes, under a root of the test's own.
 *
 * **Source** Kubernetes, AtomicWriter: files lie in a directory named after the time, `..data` links to it, each file's name
 * links into `..data`; a change is a new directory and `..data` renamed over.
 */
import { Effect, Schema } from "effect"
import { mkdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ClusterApi } from "@quarterdeck/harness"
import { NAMESPACE } from "./Chart.ts"

const Items = Schema.optionalKey(Schema.Array(Schema.Struct({ key: Schema.String, path: Schema.String })))
const Volume = Schema.Struct({
  name: Schema.String,
  secret: Schema.optionalKey(Schema.Struct({ secretName: Schema.String, items: Items })),
  configMap: Schema.optionalKey(Schema.Struct({ name: Schema.String, items: Items }))
})

const Template = Schema.Struct({
  metadata: Schema.Struct({ annotations: Schema.Record(Schema.String, Schema.String) }),
  spec: Schema.Struct({
    containers: Schema.Tuple([
      Schema.Struct({
        args: Schema.Array(Schema.String),
        volumeMounts: Schema.Array(
          Schema.Struct({ name: Schema.String, mountPath: Schema.String, subPath: Schema.optionalKey(Schema.String) })
        )
      })
    ]),
    volumes: Schema.Array(Volume)
  })
})
export type PodTemplate = typeof Template.Type

const StatefulSet = Schema.Struct({ spec: Schema.Struct({ replicas: Schema.Literal(1), template: Template }) })
const Texts = Schema.Struct({ data: Schema.Record(Schema.String, Schema.String) })

/** The pod that an installed release asks for. */
export const podTemplate = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi, name: string) {
  const object = yield* api.get({ apiVersion: "apps/v1", kind: "StatefulSet", namespace: NAMESPACE, name })
  return (yield* Schema.decodeUnknownEffect(StatefulSet)(object)).spec.template
})

/** The files of a volume, by their names; none for one that holds no object. */
const filesOf = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi, { configMap, secret }: typeof Volume.Type) {
  const name = secret?.secretName ?? configMap?.name
  if (name === undefined) return undefined
  const kind = secret === undefined ? "ConfigMap" : "Secret"
  const { data } = yield* Schema.decodeUnknownEffect(Texts)(
    yield* api.get({ apiVersion: "v1", kind, namespace: NAMESPACE, name })
  )
  const items = secret?.items ?? configMap?.items ?? Object.keys(data).map((key) => ({ key, path: key }))
  return new Map(
    items.map(({ key, path }) => {
      const text = data[key]
      if (text === undefined) throw new Error(`${kind} ${name} has no entry ${key}: its pod would not start`)
      return [path, secret === undefined ? text : Buffer.from(text, "base64").toString("utf8")] as const
    })
  )
})

const project = async (directory: string, files: ReadonlyMap<string, string>): Promise<void> => {
  const written = `..${process.hrtime.bigint()}`
  const before = await readlink(join(directory, "..data")).catch(() => undefined)
  await mkdir(join(directory, written), { recursive: true })
  for (const [path, text] of files) await writeFile(join(directory, written, path), text, { mode: 0o644 })
  await symlink(written, join(directory, "..data_tmp"))
  await rename(join(directory, "..data_tmp"), join(directory, "..data"))
  if (before === undefined) {
    for (const path of files.keys()) await symlink(join("..data", path), join(directory, path))
  } else await rm(join(directory, before), { recursive: true })
}

/** Mounts the pod's volumes below `root`, or brings what is mounted there up to date with the cluster. */
export const sync = Effect.fnUntraced(function* (api: ClusterApi.ClusterApi, { spec }: PodTemplate, root: string) {
  for (const { mountPath, name, subPath } of spec.containers[0].volumeMounts) {
    if (subPath !== undefined)
      return yield* Effect.die(new Error(`${mountPath} is mounted by subPath: it would stay as it is`))
    const volume = spec.volumes.find((one) => one.name === name)
    const files = volume === undefined ? undefined : yield* filesOf(api, volume)
    const directory = join(root, mountPath)
    yield* Effect.promise(async () => {
      await mkdir(directory, { recursive: true })
      if (files !== undefined) await project(directory, files)
    })
  }
})
