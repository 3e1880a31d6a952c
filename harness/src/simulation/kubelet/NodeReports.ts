/** What a kubelet tells the server of its node: the status, the lease, and that it is ready. */
import { Clock, Effect } from "effect"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import { type Calls, DONE } from "./Calls.ts"
import { covers } from "./StatusContainment.ts"
import * as NodeStatus from "./NodeStatus.ts"
import type { NodeView } from "./NodeView.ts"

const NOT_READY = "node.kubernetes.io/not-ready"

/** Makes the calls that report nodes. `report` makes none where the server knows all of it, unless told to. */
export const make = (options: {
  readonly api: ClusterApi
  readonly calls: Calls
  readonly version: string
  readonly addressOf: (node: NodeView) => string
}) => {
  const { addressOf, api, calls, version } = options
  const report = Effect.fnUntraced(function* (node: NodeView, always: boolean) {
    const rendered = NodeStatus.render(node, { version, address: addressOf(node) })
    if (!always && covers(node.status, rendered)) return DONE
    return yield* calls.nodeStatus(node, NodeStatus.stamped(rendered, node, yield* Clock.currentTimeMillis))
  })
  const liftTaint = Effect.fnUntraced(function* (node: NodeView) {
    const taints = node.spec?.taints ?? []
    if (taints.every(({ key }) => key !== NOT_READY)) return DONE
    const others = taints.filter(({ key }) => key !== NOT_READY)
    return yield* calls.nodeSpec(node.metadata.name, { taints: others.length === 0 ? null : others })
  })
  const renew = Effect.fnUntraced(function* (node: NodeView) {
    const nowMs = yield* Clock.currentTimeMillis
    const { name } = node.metadata
    const renewed = yield* calls.renewLease(NodeStatus.LEASE_NAMESPACE, name, NodeStatus.microTime(nowMs))
    if (renewed._tag !== "Refused" || renewed.code !== 404) return
    yield* api
      .create(NodeStatus.lease(node, nowMs))
      .pipe(Effect.catch((error) => Effect.logDebug(`no lease for node ${name}: ${error.message}`)))
  })
  return { report, liftTaint, renew }
}
