/** Applies manifest files to a cluster. */
import { Effect, Schema } from "effect"
import { ApiError } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import type { KubeObject } from "../client/KubeObject.ts"
import { load, type Manifest, placeOf } from "./ManifestFiles.ts"
import { served } from "../state/ApiResources.ts"
import { established } from "../state/CustomKinds.ts"

export { load, type Manifest, ManifestUnreadable } from "./ManifestFiles.ts"

/**
 * The cluster refused a manifest.
 *
 * **Shape** `document` counts from 1; `object` is `Deployment shop/web`.
 */
export class ManifestRefused extends Schema.TaggedError<ManifestRefused>()("ManifestRefused", {
  file: Schema.String,
  document: Schema.Natural,
  object: Schema.String,
  reason: Schema.Union([ApiError, Schema.String])
}) {
  override get message(): string {
    const why = typeof this.reason === "string" ? this.reason : this.reason.reason.message
    return `${placeOf(this.file, this.document)}, ${this.object}: ${why}`
  }
}

export interface ApplyOptions {
  /** Namespace of objects that name none (default `default`). */
  readonly namespace?: string
  /** Field manager of the applied fields (default `quarterdeck-harness`). */
  readonly fieldManager?: string
}

/**
 * Applies manifests to a cluster and returns the stored objects, in the order in which they were applied.
 *
 * `paths` are files and directories, see {@link load}. Custom resource definitions are applied first and awaited until
 * they are served, then namespaces, then the rest in file order. Server-side apply takes over fields of other managers.
 *
 * **Errors** `ManifestUnreadable` before anything is applied; `ManifestRefused` for the first manifest that the cluster
 * refuses.
 *
 * **Limits** applies one object at a time; waits up to 30 s for a definition to be served.
 *
 * **Example**
 *
 * ```ts
 * const eu = yield* fleet.cluster("eu")
 * yield* Manifests.apply(eu, ["deploy/crds", "deploy/app.yaml"])
 * ```
 */
export const apply = Effect.fn("Manifests.apply")(function* (
  cluster: { readonly api: ClusterApi },
  paths: ReadonlyArray<string>,
  options: ApplyOptions = {}
) {
  const { api } = cluster
  const manifests = (yield* load(paths)).toSorted((left, right) => rankOf(left) - rankOf(right))
  const kinds = new Map<string, ReadonlyMap<string, boolean>>()
  const applied: Array<KubeObject> = []
  for (const [index, manifest] of manifests.entries()) {
    const refused = Effect.mapError((reason: ApiError | string) => refusal(manifest, reason))
    const object = yield* refused(withNamespace(api, kinds, manifest.object, options.namespace ?? "default"))
    const { fieldManager } = options
    applied.push(yield* refused(api.apply(object, fieldManager === undefined ? {} : { fieldManager })))
    const isLastDefinition =
      rankOf(manifest) === DEFINITION && manifests[index + 1]?.object.kind !== manifest.object.kind
    if (!isLastDefinition) continue
    for (const definition of manifests.slice(0, index + 1)) {
      const wait = established(api, definition.object)
      yield* Effect.mapError(wait, (reason) => refusal(definition, reason))
    }
  }
  return applied
})

const DEFINITION = 0

const rankOf = ({ object }: Manifest): number => {
  if (object.kind === "CustomResourceDefinition") return DEFINITION
  return object.kind === "Namespace" && object.apiVersion === "v1" ? 1 : 2
}

const refusal = ({ document, file, object }: Manifest, reason: ApiError | string): ManifestRefused => {
  const { name = "", namespace } = object.metadata
  const objectName = `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
  return new ManifestRefused({ file, document, object: objectName, reason })
}

/** Returns the object with its namespace, if its kind is namespaced. `kinds` caches the kinds of each group version. */
const withNamespace = Effect.fnUntraced(function* (
  api: ClusterApi,
  kinds: Map<string, ReadonlyMap<string, boolean>>,
  object: KubeObject,
  namespace: string
): Effect.fn.Return<KubeObject, ApiError | string> {
  const { apiVersion, kind, metadata } = object
  if (metadata.name === undefined) return yield* Effect.fail("the object has no metadata.name, which apply requires")
  if (!kinds.has(apiVersion)) {
    const [group = "", version] = apiVersion.split("/")
    const resources = yield* served(api, version === undefined ? "" : group, apiVersion)
    kinds.set(apiVersion, new Map(resources.map((resource) => [resource.kind, resource.namespaced])))
  }
  const isNamespaced = kinds.get(apiVersion)?.get(kind)
  if (isNamespaced === undefined) return yield* Effect.fail(`the cluster serves no kind ${kind} in ${apiVersion}`)
  return isNamespaced && metadata.namespace === undefined ? { ...object, metadata: { ...metadata, namespace } } : object
})
