/**
 * Changes objects of any registered cluster. `KubeApi` reads them.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { parseJson, toObject } from "./KubeObjectJson.ts"
import * as kubePath from "./KubePath.ts"
import { decoded } from "./ListPages.ts"
import type { KubeObject, Scope } from "./KubeObject.ts"
import { Transport } from "./Transport.ts"

/** Field manager of the service's writes, as `kubectl get --show-managed-fields` shows it. */
export const FIELD_MANAGER = "quarterdeck"

/**
 * A change of one object.
 *
 * **Shape** `merge` is a JSON merge patch. If it contains `metadata.resourceVersion`, the server rejects (409) an
 * object with another version. A dry run passes admission and validation but is not stored.
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
     * Patches one object. Returns the object, or its subresource, after the change.
     *
     * **Errors** `ClusterRefused` if the server rejected the change. After `ClusterTimeout`, `ClusterUnreachable` and
     * `ClusterAnswerInvalid` it is unknown whether the change was applied.
     *
     * **Limits** sent once, or twice if the server rejected the credential and it could be renewed. Uses a connection
     * for writes, which reads do not wait for.
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

  /** Requires file access for credential files, and processes for credential plugins. */
  static readonly layer = KubeWriter.layerNoDeps.pipe(Layer.provide(Transport.layer))
}
