/**
 * Object metrics as kube-state-metrics exports them.
 *
 * **Source** kubernetes/kube-state-metrics, `docs/metrics` (names, labels) and `internal/store` (values, label names).
 */
import type { Family, Labels } from "./Family.ts"
import type { Inventory } from "./Inventory.ts"
import { LABELS_HELP, oneOf, ownerLabels, perRow, type Sample } from "./KubeStateFamilies.ts"
import { families as podFamilies } from "./KubeStatePods.ts"
import * as LabelNames from "./LabelNames.ts"
import type { NodeRow, Row } from "./Rows.ts"

/**
 * Returns all families of a cluster, with the labels of every object, as if the exporter's allow list contained all
 * labels.
 */
export const families = (inventory: Inventory): ReadonlyArray<Family> => [
  ...podFamilies(inventory),
  ...nodeFamilies(inventory),
  ...ownerFamilies(inventory),
  ...storageFamilies(inventory),
  ...serviceFamilies(inventory)
]

const nodeFamilies = ({ nodes }: Inventory): ReadonlyArray<Family> => {
  const resources = (of: (node: NodeRow) => Readonly<Record<string, number>>) => (node: NodeRow) =>
    Object.entries(of(node)).map(([resource, value]): Sample => [
      [
        ["node", node.name],
        ["resource", LabelNames.resource(resource)],
        ["unit", LabelNames.unitOf(resource)]
      ],
      value
    ])
  const named = ({ name }: Row): Labels => [["node", name]]
  return [
    perRow(
      "kube_node_info",
      "Information about a cluster node.",
      nodes.rows,
      ({ info, internalIp, name, providerId }) => [
        [
          [
            ["node", name],
            ["kernel_version", info["kernelVersion"] ?? ""],
            ["os_image", info["osImage"] ?? ""],
            ["container_runtime_version", info["containerRuntimeVersion"] ?? ""],
            ["kubelet_version", info["kubeletVersion"] ?? ""],
            ["kubeproxy_version", info["kubeProxyVersion"] ?? ""],
            ["provider_id", providerId],
            ["pod_cidr", ""],
            ["system_uuid", info["systemUUID"] ?? ""],
            ["internal_ip", internalIp]
          ],
          1
        ]
      ]
    ),
    perRow("kube_node_created", "Unix creation timestamp", nodes.rows, (row) => [[named(row), row.createdMs / 1_000]]),
    perRow("kube_node_labels", LABELS_HELP, nodes.rows, (row) => [
      [[...named(row), ...LabelNames.fromLabels(row.labels)], 1]
    ]),
    perRow("kube_node_spec_unschedulable", "Whether a node can schedule new pods.", nodes.rows, (row) => [
      [named(row), row.unschedulable ? 1 : 0]
    ]),
    perRow(
      "kube_node_status_capacity",
      "The total amount of resources available for a node.",
      nodes.rows,
      resources(({ capacity }) => capacity)
    ),
    perRow(
      "kube_node_status_allocatable",
      "The amount of resources allocatable for pods.",
      nodes.rows,
      resources(({ allocatable }) => allocatable)
    ),
    perRow("kube_node_status_condition", "The condition of a cluster node.", nodes.rows, ({ conditions, name }) =>
      conditions.flatMap(({ status, type }) =>
        oneOf(
          ["true", "false", "unknown"],
          status.toLowerCase(),
          [
            ["node", name],
            ["condition", type]
          ],
          "status"
        )
      )
    )
  ]
}

const ownerFamilies = ({ jobs, namespaces, replicaSets }: Inventory): ReadonlyArray<Family> => [
  perRow("kube_namespace_labels", LABELS_HELP, namespaces.rows, ({ labels, name }) => [
    [[["namespace", name], ...LabelNames.fromLabels(labels)], 1]
  ]),
  perRow("kube_namespace_created", "Unix creation timestamp", namespaces.rows, ({ createdMs, name }) => [
    [[["namespace", name]], createdMs / 1_000]
  ]),
  perRow("kube_replicaset_owner", "Information about the ReplicaSet's owner.", replicaSets.rows, (row) => [
    [[["namespace", row.namespace], ["replicaset", row.name], ...ownerLabels(row)], 1]
  ]),
  perRow("kube_job_owner", "Information about the Job's owner.", jobs.rows, (row) => [
    [[["namespace", row.namespace], ["job_name", row.name], ...ownerLabels(row)], 1]
  ])
]

const storageFamilies = ({ claims, volumes }: Inventory): ReadonlyArray<Family> => {
  const claim = ({ name, namespace }: Row): Labels => [
    ["namespace", namespace],
    ["persistentvolumeclaim", name]
  ]
  const volume = ({ name }: Row): Labels => [["persistentvolume", name]]
  return [
    perRow("kube_persistentvolumeclaim_info", "Information about persistent volume claim.", claims.rows, (row) => [
      [[...claim(row), ["storageclass", row.storageClass], ["volumename", row.volume], ["volumemode", "Filesystem"]], 1]
    ]),
    perRow(
      "kube_persistentvolumeclaim_resource_requests_storage_bytes",
      "The capacity of storage requested by the persistent volume claim.",
      claims.rows,
      (row) => [[claim(row), row.requestBytes]]
    ),
    perRow(
      "kube_persistentvolumeclaim_status_phase",
      "The phase the persistent volume claim is currently in.",
      claims.rows,
      (row) => oneOf(["Lost", "Bound", "Pending"], row.phase, claim(row), "phase")
    ),
    perRow("kube_persistentvolume_capacity_bytes", "Persistentvolume capacity in bytes.", volumes.rows, (row) => [
      [volume(row), row.capacityBytes]
    ]),
    perRow("kube_persistentvolume_info", "Information about persistentvolume.", volumes.rows, (row) => [
      [
        [
          ...volume(row),
          ["storageclass", row.storageClass],
          ["csi_driver", row.csiDriver],
          ["csi_volume_handle", row.csiHandle]
        ],
        1
      ]
    ]),
    perRow(
      "kube_persistentvolume_claim_ref",
      "Information about the Persistent Volume Claim Reference.",
      volumes.rows,
      (row) =>
        row.claimName === ""
          ? []
          : [[[...volume(row), ["name", row.claimName], ["claim_namespace", row.claimNamespace]], 1]]
    ),
    perRow(
      "kube_persistentvolume_status_phase",
      "The phase indicates if a volume is available, bound to a claim, or released by a claim.",
      volumes.rows,
      (row) => oneOf(["Pending", "Available", "Bound", "Released", "Failed"], row.phase, volume(row), "phase")
    )
  ]
}

const serviceFamilies = ({ services }: Inventory): ReadonlyArray<Family> => {
  const labels = ({ name, namespace, uid }: Row): Labels => [
    ["namespace", namespace],
    ["service", name],
    ["uid", uid]
  ]
  return [
    perRow("kube_service_info", "Information about service.", services.rows, (row) => [
      [
        [
          ...labels(row),
          ["cluster_ip", row.clusterIp],
          ["external_name", row.externalName],
          ["external_traffic_policy", ""],
          ["load_balancer_ip", ""]
        ],
        1
      ]
    ]),
    perRow("kube_service_created", "Unix creation timestamp", services.rows, (row) => [
      [labels(row), row.createdMs / 1_000]
    ]),
    perRow("kube_service_spec_type", "Type about service.", services.rows, (row) => [
      [[...labels(row), ["type", row.type]], 1]
    ]),
    perRow("kube_service_status_load_balancer_ingress", "Service load balancer ingress status", services.rows, (row) =>
      row.ingress.map(({ hostname, ip }): Sample => [[...labels(row), ["ip", ip], ["hostname", hostname]], 1])
    )
  ]
}
