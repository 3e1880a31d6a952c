/**
 * Problems of a server and its clusters, each with its remedy.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import type { Readiness, ReadinessDetails } from "@quarterdeck/contract/HealthGroup"
import * as CoverageNotes from "../print/CoverageNotes.ts"

/** A problem and its remedy. **Shape** `check` names the check that found the problem, `cluster` the cluster that has it. */
export interface Finding {
  readonly check:
    | "service"
    | "names"
    | "clusters"
    | "credentials"
    | "kinds"
    | "usage"
    | "backfill"
    | "accelerators"
    | "keys"
    | "signIn"
  readonly cluster?: string
  readonly finding: string
  readonly remedy: string
}

const LEAST_ROLE = "bind the least ClusterRole (docs/tasks/connect-clusters.md) to the server's user there"

/** Finds stores that do not work and clusters that are not read yet. */
export const ofChecks = ({ checks, status }: Readiness): ReadonlyArray<Finding> => {
  if (checks === undefined) return []
  const { audit, clusters, costStore, keyStore } = checks
  return [
    ...(keyStore === "ok"
      ? []
      : [{ ...service, finding: "the key store does not answer", remedy: "see the log; restart the server" }]),
    ...(costStore === "ok"
      ? []
      : [
          {
            ...service,
            finding: "the cost store does not answer",
            remedy: "see the log; restore its ClickHouse server, or restart the server if the store is SQLite"
          }
        ]),
    ...AUDIT[audit],
    ...(status === "starting"
      ? [
          {
            ...service,
            finding: `${clusters.waiting} of ${clusters.registered} clusters are being read for the first time`,
            remedy: "wait until /readyz is ready, then run doctor again"
          }
        ]
      : [])
  ]
}

const service = { check: "service" } as const

/** Findings for each result of the audit's check. */
const AUDIT: Readonly<Record<NonNullable<Readiness["checks"]>["audit"], ReadonlyArray<Finding>>> = {
  ok: [],
  full: [
    {
      ...service,
      finding: "the audit or its disk is full, so nothing can be changed; keys can still be revoked",
      remedy: "free 20 MiB on the disk of the data directory, or raise audit.maxBytes"
    }
  ],
  unavailable: [
    {
      ...service,
      finding: "the audit cannot be written, so nothing can be changed",
      remedy: "see the log; restore the disk, the permissions or the lock of audit.sqlite"
    }
  ]
}

/** Denials and other audit events have a share of the space each. A share is reported once this percentage is used. */
const NEARLY_FULL_PERCENT = 80

const ofAudit = ({
  deniedBytes,
  otherBytes,
  shareMaxBytes
}: NonNullable<ReadinessDetails["audit"]>): ReadonlyArray<Finding> =>
  (
    [
      ["denials", deniedBytes, "further denials are only counted"],
      ["changes and reads", otherBytes, "changes are refused"]
    ] as const
  ).flatMap(([what, bytes, then]) => {
    const percent = Math.floor((100 * bytes) / shareMaxBytes)
    if (percent < NEARLY_FULL_PERCENT) return []
    const finding = `the audit's share for ${what} is ${percent} % full; when it is full, ${then}`
    return [{ ...service, finding, remedy: "raise audit.maxBytes, or lower audit.retentionDays" }]
  })

/**
 * Remedies of an unusable cluster in a kubeconfig file, a registration or the parent cluster, by the code of its
 * problem.
 */
const SOURCE_REMEDY: Readonly<Record<string, string>> = {
  nameTaken:
    "give one of the contexts another name in clusters.names; rename one of two contexts with the same name (kubectl --kubeconfig FILE config rename-context OLD NEW)",
  nameInvalid: "give the context a name in clusters.names, or rename the object",
  entryDiffers: "the clusters work; to end the warning, rename the entry in one of the files",
  documentsIgnored: "move the other documents to separate files, and add those to clusters.kubeconfig",
  contextUnknown: "correct the context in clusters.names, or remove it",
  fileUnreadable: "restore the file, or remove its path from clusters.kubeconfig",
  insecureSkipTlsVerify: "put the cluster's certificate authority into the kubeconfig instead",
  registrationUnreadable: "restore the earlier clusters.secretFile, or drop the cluster and register it again",
  addressRefused: "give the cluster an address of its own network, or delete the object",
  sourceUnreadable: "let the server's account list and watch the objects, or remove the namespace from the settings",
  tooManyClusters: "delete some of the objects, or give the server a kubeconfig",
  parentMissing: "restore the context of the parent cluster, or restart with another clusters.parent"
}

/**
 * Finds problems in the details of a server's readiness. **Shape** skips usage problems of `silent` clusters, which
 * {@link ofClusters} reports.
 */
export const ofDetails = (
  { audit, backfill, configuredKeys, costs, identityProvider, sources, unchargedDevices = [] }: ReadinessDetails,
  silent: ReadonlySet<string>
): ReadonlyArray<Finding> => [
  ...(audit === undefined ? [] : ofAudit(audit)),
  ...sources.map(({ code, message, source }) => ({
    check: "names" as const,
    finding: `${source}: ${message}`,
    remedy: SOURCE_REMEDY[code] ?? "correct the entry of the kubeconfig, or the object"
  })),
  ...(configuredKeys.problem === undefined
    ? []
    : [
        {
          check: "keys" as const,
          finding: `${configuredKeys.problem}; the keys that were loaded before stay valid`,
          remedy: "correct the file; the server reloads it"
        }
      ]),
  ...(configuredKeys.refused === 0
    ? []
    : [
        {
          check: "keys" as const,
          finding: `${configuredKeys.refused} entries of the keys files are refused`,
          remedy: "correct the entries; the log names each with its fault"
        }
      ]),
  ...(identityProvider?.problem === undefined
    ? []
    : [
        {
          check: "signIn" as const,
          finding: `${identityProvider.problem}; people can sign in only with keys`,
          remedy: "check oidc.issuer, the provider's certificate, and the network to it"
        }
      ]),
  ...costs.flatMap(({ cluster, troubles, usage }) =>
    troubles
      .filter(({ what }) => what !== "backfill" && !silent.has(cluster))
      .map(({ problem, what }) => ({
        check: "usage" as const,
        cluster,
        finding: `${what}: ${problem}`,
        remedy: remedyOfCost(what, usage)
      }))
  ),
  ...unchargedDevices.flatMap(ofDevices),
  ...backfill
    .filter(({ missingHours }) => missingHours > 0)
    .map(({ cluster, missingHours, problem = "in progress" }) => ({
      check: "backfill" as const,
      cluster,
      finding: `${missingHours} hours are not backfilled: ${problem}`,
      remedy: "correct the source or its label (cost.usageClusterLabel); then quarterdeck cost backfill --restart"
    }))
]

/** Finds accelerators that no cost includes. */
const ofDevices = ({
  cluster,
  nodes,
  podsWithClaims,
  resources
}: NonNullable<ReadinessDetails["unchargedDevices"]>[number]): ReadonlyArray<Finding> => {
  const finding = { check: "accelerators", cluster } as const
  return [
    ...(nodes === 0
      ? []
      : [
          {
            ...finding,
            finding: `${nodes === 1 ? "1 node has" : `${nodes} nodes have`} accelerators that are not charged: ${resources.join(", ")}`,
            remedy:
              "add one resource of each domain to cost.accelerators, and a GPU price for these nodes to the price book; then restart"
          }
        ]),
    ...(podsWithClaims === 0
      ? []
      : [
          {
            ...finding,
            finding: `${podsWithClaims === 1 ? "1 pod gets" : `${podsWithClaims} pods get`} devices by ResourceClaims, which are not charged`,
            remedy:
              "price the machines as a whole by nodePerHour in the price book; devices of ResourceClaims have no cost of their own"
          }
        ])
  ]
}

const remedyOfCost = (what: string, usage: ReadinessDetails["costs"][number]["usage"]): string => {
  if (what !== "usage") return LEAST_ROLE
  if (usage === "requests")
    return "set cost.usageClusterLabel, or name another source in cost.usageByCluster; then restart"
  return usage === "hourly"
    ? "check the Prometheus of cost.usage, and its scrapes of this cluster"
    : "install metrics-server there, and let the service read metrics.k8s.io; or set cost.usageByCluster to requests"
}

const TOO_LARGE =
  "raise fanOut.maxObjects if the cluster has that many objects; check whether a proxy before its API server repeats a page; the log names an object that is too long"

/** Remedies of a cluster that does not answer, by its error code. */
const CLUSTER_REMEDY: Readonly<Record<string, string>> = {
  cluster_timeout: "check whether its API server is overloaded, or raise fanOut.timeoutMs",
  cluster_unreachable: "check its address in the kubeconfig, and the network to it",
  cluster_certificate_invalid: "put the authority that signed its certificate into the kubeconfig",
  cluster_unauthorized: "renew the credential in the kubeconfig",
  cluster_credential_unavailable: "correct the credential's file or plugin; the log names it",
  cluster_forbids: LEAST_ROLE,
  cluster_too_large: TOO_LARGE,
  cluster_throttled: "give the server a higher API priority there, or send fewer requests"
}

const CREDENTIAL_CODES: ReadonlySet<string> = new Set(["cluster_unauthorized", "cluster_credential_unavailable"])

/** Finds clusters that do not answer or refuse their credentials. */
export const ofClusters = (rows: ReadonlyArray<ClusterRow>): ReadonlyArray<Finding> =>
  rows
    .filter(({ coverage }) => coverage.status !== "ok")
    .map(({ coverage, errorCode, name }) => {
      const code = coverage.error?.code ?? errorCode ?? ""
      return {
        check: CREDENTIAL_CODES.has(code) ? "credentials" : "clusters",
        cluster: name,
        finding: `${coverage.status}: ${CoverageNotes.reasonOf(coverage) || "unknown reason"}`,
        remedy: CLUSTER_REMEDY[code] ?? "see the log"
      }
    })

/** Finds clusters with more objects of a kind than the server reads. */
export const ofSizes = (coverages: ReadonlyArray<Coverage>): ReadonlyArray<Finding> =>
  [...Map.groupBy(coverages, ({ name }) => name)].flatMap(([cluster, answers]) => {
    const tooLarge = answers.find(({ error }) => error?.code === "cluster_too_large")
    if (tooLarge === undefined) return []
    return [{ check: "kinds", cluster, finding: CoverageNotes.reasonOf(tooLarge), remedy: TOO_LARGE }]
  })

/** Finds clusters that are registered under several names. **Shape** one finding for each cluster. */
export const ofSameClusters = (rows: ReadonlyArray<ClusterRow>): ReadonlyArray<Finding> =>
  rows.flatMap(({ name, sameCluster = [] }) => {
    if (sameCluster.length === 0 || sameCluster.some((other) => other < name)) return []
    const names = [name, ...sameCluster]
    return [
      {
        check: "names",
        cluster: name,
        finding: `${names.join(", ")} are the same cluster: requests to all clusters count it ${names.length} times`,
        remedy: "keep one of the names: drop the others, or remove their contexts from the kubeconfig"
      }
    ]
  })

/** Finds kinds that are missing in some replies of a cluster. */
export const ofKinds = (coverages: ReadonlyArray<Coverage>): ReadonlyArray<Finding> =>
  [...Map.groupBy(coverages.filter(answered), ({ name }) => name)].flatMap(([cluster, answers]) => {
    const kinds = new Set(answers.flatMap(({ missingKinds = [] }) => missingKinds))
    if (kinds.size === 0) return []
    return [{ check: "kinds", cluster, finding: `${[...kinds].join(", ")} cannot be read`, remedy: LEAST_ROLE }]
  })
