/**
 * Reads the body that registers a cluster.
 */
import { type AddressRule, PostedConnection, type RegisteredClusters } from "@quarterdeck/cluster-fanout"
import type { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { refuse } from "../refusal/Refusal.ts"

/** The fields that a kubeconfig stands for. */
const PARTS = ["server", "caData", "token", "tlsServerName", "proxyUrl", "labels"] as const
const NEEDED = ["server", "caData", "token"] as const

/**
 * Makes the registration that a body asks for.
 *
 * **Errors** the problems `invalid_body` for fields that do not go together, and `cluster_refused`.
 */
export const read = Effect.fnUntraced(function* (
  body: RegisterCluster,
  rule: AddressRule.AddressRule
): Effect.fn.Return<RegisteredClusters.Registration, Problem.Problem> {
  const { caData, kubeconfig, labels = {}, name, proxyUrl, server, tlsServerName, token } = body
  if (kubeconfig !== undefined) {
    const other = PARTS.find((field) => body[field] !== undefined)
    if (other !== undefined) {
      return yield* refuse("invalid_body", { detail: `${other}: does not go with kubeconfig`, field: other })
    }
    return { name, labels, connection: yield* orRefuse(PostedConnection.fromKubeconfig(kubeconfig, rule)) }
  }
  if (server === undefined || caData === undefined || token === undefined) {
    const missing = NEEDED.find((field) => body[field] === undefined) ?? "kubeconfig"
    const detail = `${missing}: is missing; give kubeconfig, or ${NEEDED.join(", ")}`
    return yield* refuse("invalid_body", { detail, field: missing })
  }
  const parts = {
    server,
    caData,
    token,
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl })
  }
  return { name, labels, connection: yield* orRefuse(PostedConnection.fromParts(parts, rule)) }
})

const orRefuse = (connection: ReturnType<typeof PostedConnection.fromParts>) =>
  Effect.fromResult(connection).pipe(
    Effect.catch(({ field, message: detail }) => refuse("cluster_refused", { detail, field }))
  )
