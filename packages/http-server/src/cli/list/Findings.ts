/**
 * What is wrong with a service and its clusters, each with what mends it.
 */
import { answered, type Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import type { Readiness, ReadinessDetails } from "@quarterdeck/contract/HealthGroup"
import * as CoverageNotes from "../print/CoverageNotes.ts"

/** Something that is wrong, and its remedy; `check` names what was looked at, `cluster` the cluster if it is of one. */
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

const LEAST_ROLE = "bind the least ClusterRole (docs/tasks/connect-clusters.md) to the user of the service there"

/** Finds what stores, and the first reading of clusters, lack. */
export const ofChecks = ({ checks, status }: Readiness): ReadonlyArray<Finding> => {
  if (checks === undefined) return []
  const { audit, clusters, costStore, keyStore } = checks
  return [
    ...(keyStore === "ok"
      ? []
      : [{ ...service, finding: "the store of keys does not answer", remedy: "see the log; restart the server" }]),
    ...(costStore === "ok"
      ? []
      : [
          {
            ...service,
            finding: "the history of costs does not answer",
            remedy: "see the log; bring its ClickHouse back, or restart the server where it is a file"
          }
        ]),
    ...AUDIT[audit],
    ...(status === "starting"
      ? [
          {
            ...service,
            finding: `${clusters.waiting} of ${clusters.registered} clusters are being read for the first time`,
            remedy: "wait until /readyz is ready, and ask again"
          }
        ]
      : [])
  ]
}

const service = { check: "service" } as const

/** Findings of the audit, by its check. */
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
      remedy: "see the log; give audit.sqlite its disk, its permissions and its lock back"
    }
  ]
}

/** Percentage of a share of the audit from which it is reported. */
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

/** What mends an entry of a source of clusters, by the code of its problem. */
const SOURCE_REMEDY: Readonly<Record<string, string>> = {
  nameTaken:
    "give one of the contexts another name by clusters.names; rename one of two contexts that are spelled alike (kubectl --kubeconfig FILE config rename-context OLD NEW)",
  nameInvalid: "give the context a name by clusters.names, or the object another name",
  entryDiffers: "nothing is wrong; to end the warning, give the entry another name in one of the files",
  documentsIgnored: "put the other documents into files of their own, and add these to clusters.kubeconfig",
  contextUnknown: "correct the context in clusters.names, or take it out",
  fileUnreadable: "put the file back, or take its path out of clusters.kubeconfig",
  insecureSkipTlsVerify: "write the cluster's authority into the kubeconfig instead",
  registrationUnreadable:
    "give the server the clusters.secretFile that it had, or drop the cluster and register it again",
  addressRefused: "give the cluster an address of its own network, or take the object away",
  sourceUnreadable: "let the service's account list and watch the objects, or take the namespace out of the settings",
  tooManyClusters: "take some of the objects away, or give the service a kubeconfig",
  parentMissing: "put the parent's context back, or restart with another clusters.parent"
}

/** Finds what the service's own parts tell. **Shape** of `silent` clusters nothing can be sampled: that is told already. */
export const ofDetails = (
  { audit, backfill, configuredKeys, costs, identityProvider, sources, unchargedDevices = [] }: ReadinessDetails,
  silent: ReadonlySet<string>
): ReadonlyArray<Finding> => [
  ...(audit === undefined ? [] : ofAudit(audit)),
  ...sources.map(({ code, message, source }) => ({
    check: "names" as const,
    finding: `${source}: ${message}`,
    remedy: SOURCE_REMEDY[code] ?? "mend the entry of the kubeconfig, or the object"
  })),
  ...(configuredKeys.problem === undefined
    ? []
    : [
        {
          check: "keys" as const,
          finding: `${configuredKeys.problem}; the keys that were loaded before are in force`,
          remedy: "mend the file; it is read again by itself"
        }
      ]),
  ...(configuredKeys.refused === 0
    ? []
    : [
        {
          check: "keys" as const,
          finding: `${configuredKeys.refused} entries of the keys files are refused`,
          remedy: "mend the entries, which the log names with their faults"
        }
      ]),
  ...(identityProvider?.problem === undefined
    ? []
    : [
        {
          check: "signIn" as const,
          finding: `${identityProvider.problem}; people sign in with keys alone`,
          remedy: "check oidc.issuer, the certificate of the provider, and the network between"
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
    .map(({ cluster, missingHours, problem = "being asked for" }) => ({
      check: "backfill" as const,
      cluster,
      finding: `${missingHours} hours of the past are not filled in: ${problem}`,
      remedy: "mend the source or its label (cost.usageClusterLabel); then quarterdeck cost backfill --restart"
    }))
]

/** Finds accelerators that no cost counts. */
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
    ? "check the Prometheus that cost.usage names, and its scrapes of this cluster"
    : "install metrics-server there, and let the service read metrics.k8s.io; or set cost.usageByCluster to requests"
}

const TOO_LARGE =
  "raise fanOut.maxObjects where the cluster has so many; look whether a proxy before its API server repeats an answer; the log names an object that is too long"

/** Remedies of a cluster that does not answer, by the code of its failure. */
const CLUSTER_REMEDY: Readonly<Record<string, string>> = {
  cluster_timeout: "look whether its API server is overloaded, or raise fanOut.timeoutMs",
  cluster_unreachable: "check its address in the kubeconfig, and the network between",
  cluster_certificate_invalid: "write the authority that signed its certificate into the kubeconfig",
  cluster_unauthorized: "renew the credential in the kubeconfig",
  cluster_credential_unavailable: "mend the file or plugin of the credential, which the log names",
  cluster_forbids: LEAST_ROLE,
  cluster_too_large: TOO_LARGE,
  cluster_throttled: "give the service a higher priority there, or ask less often"
}

const CREDENTIAL_CODES: ReadonlySet<string> = new Set(["cluster_unauthorized", "cluster_credential_unavailable"])

/** Finds clusters that do not answer, and credentials that they refuse. */
export const ofClusters = (rows: ReadonlyArray<ClusterRow>): ReadonlyArray<Finding> =>
  rows
    .filter(({ coverage }) => coverage.status !== "ok")
    .map(({ coverage, errorCode, name }) => {
      const code = coverage.error?.code ?? errorCode ?? ""
      return {
        check: CREDENTIAL_CODES.has(code) ? "credentials" : "clusters",
        cluster: name,
        finding: `${coverage.status}: ${CoverageNotes.reasonOf(coverage) || "no reason is known"}`,
        remedy: CLUSTER_REMEDY[code] ?? "see the log"
      }
    })

/** Finds clusters that have more of some kind than is read of it. */
export const ofSizes = (coverages: ReadonlyArray<Coverage>): ReadonlyArray<Finding> =>
  [...Map.groupBy(coverages, ({ name }) => name)].flatMap(([cluster, answers]) => {
    const tooLarge = answers.find(({ error }) => error?.code === "cluster_too_large")
    if (tooLarge === undefined) return []
    return [{ check: "kinds", cluster, finding: CoverageNotes.reasonOf(tooLarge), remedy: TOO_LARGE }]
  })

/** Finds clusters that are registered under several names, once each. */
export const ofSameClusters = (rows: ReadonlyArray<ClusterRow>): ReadonlyArray<Finding> =>
  rows.flatMap(({ name, sameCluster = [] }) => {
    if (sameCluster.length === 0 || sameCluster.some((other) => other < name)) return []
    const names = [name, ...sameCluster]
    return [
      {
        check: "names",
        cluster: name,
        finding: `${names.join(", ")} are one and the same cluster: a read of all clusters counts it ${names.length} times`,
        remedy: "keep one of the names: drop the others, or take their contexts out of the kubeconfig"
      }
    ]
  })

/** Finds kinds that some answers of a cluster lack. */
export const ofKinds = (coverages: ReadonlyArray<Coverage>): ReadonlyArray<Finding> =>
  [...Map.groupBy(coverages.filter(answered), ({ name }) => name)].flatMap(([cluster, answers]) => {
    const kinds = new Set(answers.flatMap(({ missingKinds = [] }) => missingKinds))
    if (kinds.size === 0) return []
    return [{ check: "kinds", cluster, finding: `${[...kinds].join(", ")} cannot be read`, remedy: LEAST_ROLE }]
  })
