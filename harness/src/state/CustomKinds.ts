/** Waits until a cluster serves the kind of a new custom resource definition. */
import { Effect, Schedule, Schema } from "effect"
import { ApiError, ApiUnexpected } from "../client/ApiError.ts"
import type { ClusterApi } from "../client/ClusterApi.ts"
import { THROUGH_CACHE } from "./WatchCache.ts"
import { inRealTime } from "../machine/Machine.ts"
import { type KubeObject, refOf } from "../client/KubeObject.ts"

const EVERY = "50 millis"
const WITHIN = "30 seconds"

const Definition = Schema.Struct({
  spec: Schema.Struct({
    group: Schema.String,
    names: Schema.Struct({ plural: Schema.String }),
    versions: Schema.Array(Schema.Struct({ name: Schema.String, served: Schema.Boolean }))
  }),
  status: Schema.optionalKey(
    Schema.Struct({
      conditions: Schema.optionalKey(
        Schema.NullOr(Schema.Array(Schema.Struct({ type: Schema.String, status: Schema.String })))
      )
    })
  )
})
const decodeDefinition = Schema.decodeUnknownEffect(Definition)

/**
 * Waits until a definition is established, and discovery and lists work for every version that it serves.
 *
 * **Errors** `ApiUnexpected` after 30 s, or immediately if the object is not a definition.
 */
export const established = (api: ClusterApi, definition: KubeObject): Effect.Effect<void, ApiError> => {
  const ref = refOf(definition)
  const unexpected = (problem: string) =>
    new ApiError({
      cluster: api.cluster,
      method: "GET",
      path: `/apis/${ref.apiVersion}/customresourcedefinitions/${ref.name}`,
      reason: new ApiUnexpected({ problem })
    })
  const statusOf = (path: string) => Effect.map(api.request({ method: "GET", path }), ({ status }) => status)
  const isServed = Effect.gen(function* () {
    const present = yield* api.get(ref)
    const { spec, status } = yield* decodeDefinition(present).pipe(
      Effect.mapError(({ message }) => unexpected(message))
    )
    const isEstablished = status?.conditions?.some(({ type, status }) => type === "Established" && status === "True")
    if (isEstablished !== true) return false
    const { text: groups } = yield* api.request({ method: "GET", path: "/apis" })
    for (const { name, served } of spec.versions) {
      const root = `/apis/${spec.group}/${name}`
      if (!served) continue
      if (!groups.includes(`"groupVersion":"${spec.group}/${name}"`)) return false
      const { text } = yield* api.request({ method: "GET", path: root })
      if (!text.includes(`"name":"${spec.names.plural}"`)) return false
      if ((yield* statusOf(`${root}/${spec.names.plural}?${THROUGH_CACHE}`)) !== 200) return false
    }
    return true
  })
  return isServed.pipe(
    Effect.repeat({ schedule: Schedule.spaced(EVERY), until: (served) => served }),
    Effect.timeoutOrElse({
      duration: WITHIN,
      orElse: () => Effect.fail(unexpected(`the definition ${ref.name} is not served after ${WITHIN}`))
    }),
    Effect.asVoid,
    inRealTime
  )
}
