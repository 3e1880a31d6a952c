/**
 * Changes objects of any registered cluster. What reads them is `KubeApi`.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { parseJson, toObject } from "./KubeObjectJson.ts"
import * as kubePath from "./KubePath.ts"
import { decoded } from "./ListPages.ts"
import type { KubeObject, Scope } from "./KubeObject.ts"
import { Transport } from "./Transport.ts"

/** Who owns the fields that the service writes, as `kubectl get --show-managed-fields` tells it. */
export const FIELD_MANAGER = "quarterdeck"

/**
 * A change of one object.
 *
 * **Shape** `merge` is a JSON merge patch; with `metadata.resourceVersion` in it the server refuses (409) an object of
 * another version. A dry run goes through admission and validation, and is not stored.
 *
 * **Source** RFC 7386; Kubernetes, "API concepts: dry-run".
 */
export interface Patch {
  readonly scope: Scope
  readonly name: string
  readonly subresource?: "scale"
  readonly merge: Readonly<Record<string, unknown>>
  readonly isDryRun: boolean
}

export class KubeWriter extends Context.Service<
  KubeWriter,
  {
    /**
     * Patches one object, and gives it, or its subresource, as it is then.
     *
     * **Errors** `ClusterRefused` when the server did not do it. After `ClusterTimeout`, `ClusterUnreachable` and
     * `ClusterAnswerInvalid` nobody knows whether it did.
     *
     * **Limits** sent once, but for a credential that the server refused and that could be renewed; takes a connection of
     * the cluster's writes, which no reading waits for.
     */
    readonly patch: (cluster: Cluster, patch: Patch) => Effect.Effect<KubeObject, ClusterError>
  }
>()("@quarterdeck/cluster-fanout/KubeWriter") {
  static readonly layerNoDeps = Layer.effect(
    KubeWriter,
    Effect.gen(function* () {
      const transport = yield* Transport
      const patch = Effect.fn("KubeWriter.patch")(function* (
        cluster: Cluster,
        { isDryRun, merge, name, scope, subresource }: Patch
      ) {
        const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, ...(isDryRun ? { dryRun: "All" } : {}) })
        const below = subresource === undefined ? "" : `/${subresource}`
        const { body } = yield* transport.call(cluster, {
          method: "PATCH",
          path: `${kubePath.object(scope, name)}${below}?${query.toString()}`,
          body: { contentType: "application/merge-patch+json", text: JSON.stringify(merge) },
          action: { verb: "patch", resource: `${kubePath.words(scope)}${below}` }
        })
        return yield* decoded(cluster, Result.flatMap(parseJson(body), toObject))
      })
      return KubeWriter.of({ patch })
    })
  )

  /** Needs files for what clusters keep in them, and processes for credential plugins. */
  static readonly layer = KubeWriter.layerNoDeps.pipe(Layer.provide(Transport.layer))
}
