/** The namespace of a run in an existing cluster, with the service accounts of its users. */
import { Effect, Redacted, Schema } from "effect"
import { ApiError, ApiUnexpected } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import { eventually } from "../../machine/Eventually.ts"
import { HOME, type Marks } from "./Marks.ts"

/** Lifetime of the tokens: longer than a test run, but short enough that the tokens of killed runs soon expire. */
const TOKEN_SECONDS = 24 * 3_600

const Reply = Schema.fromJsonString(Schema.Struct({ status: Schema.Struct({ token: Schema.NonEmptyString }) }))
const decodeReply = Schema.decodeUnknownEffect(Reply)

const Review = Schema.fromJsonString(Schema.Struct({ status: Schema.Struct({ allowed: Schema.Boolean }) }))
const decodeReview = Schema.decodeUnknownEffect(Review)
const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

export interface Home {
  readonly namespace: string
  /** Creates a service account without permissions, and returns a token for it. */
  readonly account: (name: string) => Effect.Effect<Redacted.Redacted<string>, ApiError>
  /** Binds a service account to `cluster-admin`. **Errors** 403 if the client itself lacks these permissions. */
  readonly empower: (account: string) => Effect.Effect<void, ApiError>
}

/** Creates the namespace. */
export const make = Effect.fnUntraced(function* (
  api: ClusterApi,
  namespace: string,
  marks: Marks
): Effect.fn.Return<Home, ApiError> {
  const labels = { ...marks, [HOME]: "true" }
  yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } })
  return {
    namespace,
    account: Effect.fnUntraced(function* (name) {
      yield* api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace, labels } })
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
      const { status, text } = yield* api.request({
        method: "POST",
        path,
        body: {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenRequest",
          spec: { expirationSeconds: TOKEN_SECONDS }
        }
      })
      const reply = yield* decodeReply(text).pipe(
        Effect.mapError(() => {
          const reason = new ApiUnexpected({ problem: `status ${status} to a request for a token: ${text.trim()}` })
          return new ApiError({ cluster: api.cluster, method: "POST", path, reason })
        })
      )
      return Redacted.make(reply.status.token)
    }),
    empower: (account) =>
      Effect.asVoid(
        api.create({
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: `${namespace}-${account}`, labels },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
          subjects: [{ kind: "ServiceAccount", name: account, namespace }]
        })
      )
  }
})

/**
 * Waits until a client has all permissions: servers apply a new binding with a delay.
 *
 * **Errors** after 10 s.
 */
export const untilEmpowered = (api: ClusterApi): Effect.Effect<void, ApiError> =>
  eventually(
    "the run's administrator has all permissions",
    Effect.flatMap(
      api.request({
        method: "POST",
        path: REVIEWS,
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: { verb: "*", group: "*", resource: "*" } }
        }
      }),
      ({ text }) => decodeReview(text)
    ),
    ({ status }) => status.allowed
  ).pipe(
    Effect.mapError(({ message }) => {
      const reason = new ApiUnexpected({ problem: message })
      return new ApiError({ cluster: api.cluster, method: "POST", path: REVIEWS, reason })
    }),
    Effect.asVoid
  )

/** Returns a valid service account name for any user name. `place` makes it unique. */
export const accountName = (user: string, place: number): string => {
  const plain = user
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50)
  return `user-${place}${plain === "" ? "" : `-${plain.replace(/-+$/, "")}`}`
}
