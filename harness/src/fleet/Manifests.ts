/** Manifest files, and their way into a cluster. */
import { Effect, Schema } from "effect"
import { ApiError } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import type { KubeObject } from "../client/KubeObject.ts"
import { load, type Manifest } from "./ManifestFiles.ts"
import { placeOf } from "./ManifestError.ts"
import { served } from "../state/ApiResources.ts"
import { established } from "../state/CustomKinds.ts"

export { load, type Manifest } from "./ManifestFiles.ts"
export { ManifestUnreadable } from "./ManifestError.ts"

/**
 * A cluster did not take a manifest.
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
  /** Where objects go that name no namespace of their own (default `default`). */
  readonly namespace?: string
  /** Who owns the fields (default `quarterdeck-harness`). */
  readonly fieldManager?: string
}

/**
 * Applies manifests to a cluster and gives the objects as they are there, in the order in which they were applied.
 *
 * `paths` are files and directories, see {@link load}. Custom resource definitions come first, and are waited
 * for until they are served; then namespaces; then the rest, in the order of the files. Server-side apply, which takes
 * over fields of others.
 *
 * **Errors** `ManifestUnreadable` before anything is applied; `ManifestRefused` for the first that the cluster refuses.
 *
 * **Limits** one object after the other; a definition may take 30 s to be served.
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
    const object = yield* refused(placed(api, kinds, manifest.object, options.namespace ?? "default"))
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
  const named = `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
  return new ManifestRefused({ file, document, object: named, reason })
}

/** The object with a namespace where its kind has one; `kinds` remembers what each version of a group serves. */
const placed = Effect.fnUntraced(function* (
  api: ClusterApi,
  kinds: Map<string, ReadonlyMap<string, boolean>>,
  object: KubeObject,
  namespace: string
): Effect.fn.Return<KubeObject, ApiError | string> {
  const { apiVersion, kind, metadata } = object
  if (metadata.name === undefined) return yield* Effect.fail("it has no name, without which nothing can be applied")
  if (!kinds.has(apiVersion)) {
    const [group = "", version] = apiVersion.split("/")
    const resources = yield* served(api, version === undefined ? "" : group, apiVersion)
    kinds.set(apiVersion, new Map(resources.map((one) => [one.kind, one.namespaced])))
  }
  const isNamespaced = kinds.get(apiVersion)?.get(kind)
  if (isNamespaced === undefined) return yield* Effect.fail(`the cluster serves no kind ${kind} in ${apiVersion}`)
  return isNamespaced && metadata.namespace === undefined ? { ...object, metadata: { ...metadata, namespace } } : object
})
