/**
 * Pod metrics as kube-state-metrics exports them.
 *
 * **Source** kubernetes/kube-state-metrics, `docs/metrics/workload/pod-metrics.md` and `internal/store/pod.go`.
 */
import type { Family, Labels } from "./Family.ts"
import type { Inventory } from "./Inventory.ts"
import { LABELS_HELP, oneOf, ownerLabels, perRow, type Sample } from "./KubeStateFamilies.ts"
import * as LabelNames from "./LabelNames.ts"
import type { ContainerRow, PodRow } from "./Rows.ts"

const PHASES = ["Pending", "Succeeded", "Failed", "Unknown", "Running"]

export const families = ({ pods }: Inventory): ReadonlyArray<Family> => [
  ...podFamilies(pods),
  ...containerFamilies(pods)
]

type Pods = Inventory["pods"]

const podFamilies = (pods: Pods): ReadonlyArray<Family> => {
  const family = (name: string, help: string, samples: (pod: PodRow) => ReadonlyArray<Sample>) =>
    perRow(name, help, pods.rows, samples)
  return [
    family("kube_pod_info", "Information about pod.", (pod) => [
      [
        [
          ...podLabels(pod),
          ["host_ip", pod.hostIp],
          ["pod_ip", pod.podIp],
          ["node", pod.node],
          ["created_by_kind", pod.owner?.kind ?? ""],
          ["created_by_name", pod.owner?.name ?? ""],
          ["priority_class", pod.priorityClass],
          ["host_network", String(pod.hostNetwork)]
        ],
        1
      ]
    ]),
    family("kube_pod_owner", "Information about the Pod's owner.", (pod) => [
      [[...podLabels(pod), ...ownerLabels(pod)], 1]
    ]),
    family("kube_pod_labels", LABELS_HELP, (pod) => [[[...podLabels(pod), ...LabelNames.fromLabels(pod.labels)], 1]]),
    family("kube_pod_created", "Unix creation timestamp", (pod) => [[podLabels(pod), pod.createdMs / 1_000]]),
    family("kube_pod_start_time", "Start time in unix timestamp for a pod.", (pod) =>
      pod.startMs === undefined ? [] : [[podLabels(pod), pod.startMs / 1_000]]
    ),
    family("kube_pod_completion_time", "Completion time in unix timestamp for a pod.", (pod) => {
      const ends = pod.containers.map(({ run }) => run?.toMs)
      const last = ends.every((end) => end !== undefined) ? Math.max(...ends) : undefined
      return last === undefined || !OVER.has(pod.phase) ? [] : [[podLabels(pod), last / 1_000]]
    }),
    family("kube_pod_status_phase", "The pods current phase.", (pod) =>
      oneOf(PHASES, pod.phase, podLabels(pod), "phase")
    ),
    family(
      "kube_pod_spec_volumes_persistentvolumeclaims_info",
      "Information about persistentvolumeclaim volumes in a pod.",
      (pod) =>
        pod.claims.map(({ claim, volume }): Sample => [
          [...podLabels(pod), ["volume", volume], ["persistentvolumeclaim", claim]],
          1
        ])
    )
  ]
}

const containerFamilies = (pods: Pods): ReadonlyArray<Family> => {
  const perContainer = (
    name: string,
    help: string,
    samples: (container: ContainerRow, pod: PodRow) => ReadonlyArray<Sample>
  ) =>
    perRow(name, help, pods.rows, (pod) =>
      pod.containers.flatMap((container) =>
        samples(container, pod).map(([labels, value]): Sample => [
          [...podLabels(pod), ["container", container.name], ...labels],
          value
        ])
      )
    )
  const resources = (name: string, help: string, of: (container: ContainerRow) => Readonly<Record<string, number>>) =>
    perContainer(name, help, (container, { node }) =>
      Object.entries(of(container)).map(([resource, value]): Sample => [
        [
          ["node", node],
          ["resource", LabelNames.resource(resource)],
          ["unit", LabelNames.unitOf(resource)]
        ],
        value
      ])
    )
  return [
    resources(
      "kube_pod_container_resource_requests",
      "The number of requested request resource by a container.",
      ({ requests }) => requests
    ),
    resources(
      "kube_pod_container_resource_limits",
      "The number of requested limit resource by a container.",
      ({ limits }) => limits
    ),
    perContainer("kube_pod_container_info", "Information about a container in a pod.", ({ image }) => [
      [
        [
          ["image", image],
          ["image_spec", image],
          ["image_id", ""],
          ["container_id", ""]
        ],
        1
      ]
    ]),
    perContainer(
      "kube_pod_container_status_running",
      "Describes whether the container is currently in running state.",
      (container) => [[[], isUp(container) ? 1 : 0]]
    ),
    perContainer(
      "kube_pod_container_status_ready",
      "Describes whether the containers readiness check succeeded.",
      ({ ready }) => [[[], ready ? 1 : 0]]
    ),
    perContainer(
      "kube_pod_container_status_waiting_reason",
      "Describes the reason the container is currently in waiting state.",
      ({ waitingReason }) => (waitingReason === undefined ? [] : [[[["reason", waitingReason]], 1]])
    ),
    perContainer(
      "kube_pod_container_status_terminated_reason",
      "Describes the reason the container is currently in terminated state.",
      ({ terminatedReason }) => (terminatedReason === undefined ? [] : [[[["reason", terminatedReason]], 1]])
    ),
    {
      ...perContainer(
        "kube_pod_container_status_restarts_total",
        "The number of container restarts per container.",
        ({ restarts }) => [[[], restarts]]
      ),
      type: "counter"
    }
  ]
}

const OVER: ReadonlySet<string> = new Set(["Succeeded", "Failed"])

const isUp = ({ run }: ContainerRow): boolean => run !== undefined && run.toMs === undefined

const podLabels = ({ name, namespace, uid }: PodRow): Labels => [
  ["namespace", namespace],
  ["pod", name],
  ["uid", uid]
]
