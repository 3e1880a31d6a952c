/**
 * Fields of the kinds that the server decodes from protobuf: `kubectl` sends them when it creates an object from
 * flags, checks access or requests a token, and `helm` when it deletes its records.
 *
 * **Source** Kubernetes 1.36, the field numbers in `generated.proto` of `k8s.io/api` and `k8s.io/apimachinery`.
 */

/** A protobuf field. **Shape** `kept`: an optional number or boolean whose zero value counts as set. */
interface Field {
  readonly name: string
  readonly type: string
  readonly kept: boolean
  readonly many: boolean
}

export type Message = ReadonlyMap<number, Field>

/**
 * Number, name and type of each field, per message.
 *
 * **Shape** a type is `text`, `int`, `bool`, `union` (a number or a text), `map` (of texts), `bytes` (a map of bytes),
 * `amounts` (a map of quantities) or another message. `-` marks a field that requests cannot set, `[]` a list, `?` an
 * optional field.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  Meta:
    "1 name text, 2 generateName text, 3 namespace text, 4 selfLink -, 5 uid text, 6 resourceVersion text, 7 generation -, "
    + "8 creationTimestamp -, 9 deletionTimestamp -, 10 deletionGracePeriodSeconds -, 11 labels map, 12 annotations map, "
    + "13 ownerReferences Owner[], 14 finalizers text[], 17 managedFields -",
  Owner: "1 kind text, 3 name text, 4 uid text, 5 apiVersion text, 6 controller bool?, 7 blockOwnerDeletion bool?",
  Selector: "1 matchLabels map, 2 matchExpressions SelectorRequirement[]",
  SelectorRequirement: "1 key text, 2 operator text, 3 values text[]",

  DeleteOptions:
    "1 gracePeriodSeconds int?, 2 preconditions Preconditions, 3 orphanDependents bool?, 4 propagationPolicy text, "
    + "5 dryRun text[]",
  Preconditions: "1 uid text, 2 resourceVersion text",

  Namespace: "1 metadata Meta, 2 spec NamespaceSpec, 3 status -",
  NamespaceSpec: "1 finalizers text[]",
  ServiceAccount: "1 metadata Meta, 3 imagePullSecrets Reference[], 4 automountServiceAccountToken bool?",
  Reference: "1 name text",
  ConfigMap: "1 metadata Meta, 2 data map, 3 binaryData bytes, 4 immutable bool?",
  Secret: "1 metadata Meta, 2 data bytes, 3 type text, 4 stringData map, 5 immutable bool?",
  ResourceQuota: "1 metadata Meta, 2 spec ResourceQuotaSpec, 3 status -",
  ResourceQuotaSpec: "1 hard amounts, 2 scopes text[]",
  Service: "1 metadata Meta, 2 spec ServiceSpec, 3 status -",
  ServiceSpec:
    "1 ports ServicePort[], 2 selector map, 3 clusterIP text, 4 type text, 5 externalIPs text[], 7 sessionAffinity text, "
    + "8 loadBalancerIP text, 9 loadBalancerSourceRanges text[], 10 externalName text, 11 externalTrafficPolicy text, "
    + "12 healthCheckNodePort int, 13 publishNotReadyAddresses bool, 17 ipFamilyPolicy text, 18 clusterIPs text[], "
    + "19 ipFamilies text[], 20 allocateLoadBalancerNodePorts bool?, 22 internalTrafficPolicy text",
  ServicePort: "1 name text, 2 protocol text, 3 port int, 4 targetPort union, 5 nodePort int, 6 appProtocol text",

  Template: "1 metadata Meta, 2 spec PodSpec",
  PodSpec:
    "2 containers Container[], 3 restartPolicy text, 4 terminationGracePeriodSeconds int?, 5 activeDeadlineSeconds int?, "
    + "6 dnsPolicy text, 7 nodeSelector map, 8 serviceAccountName text, 9 serviceAccount text, 10 nodeName text, "
    + "11 hostNetwork bool, 12 hostPID bool, 13 hostIPC bool, 15 imagePullSecrets Reference[], 16 hostname text, "
    + "17 subdomain text, 19 schedulerName text, 20 initContainers Container[], 21 automountServiceAccountToken bool?, "
    + "24 priorityClassName text",
  Container:
    "1 name text, 2 image text, 3 command text[], 4 args text[], 5 workingDir text, 6 ports ContainerPort[], "
    + "7 env Variable[], 8 resources Resources, 13 terminationMessagePath text, 14 imagePullPolicy text, 16 stdin bool, "
    + "17 stdinOnce bool, 18 tty bool, 20 terminationMessagePolicy text",
  ContainerPort: "1 name text, 2 hostPort int, 3 containerPort int, 4 protocol text, 5 hostIP text",
  Variable: "1 name text, 2 value text",
  Resources: "1 limits amounts, 2 requests amounts",

  Deployment: "1 metadata Meta, 2 spec DeploymentSpec, 3 status -",
  DeploymentSpec:
    "1 replicas int?, 2 selector Selector, 3 template Template, 4 strategy Strategy, 5 minReadySeconds int, "
    + "6 revisionHistoryLimit int?, 7 paused bool, 9 progressDeadlineSeconds int?",
  Strategy: "1 type text",
  Job: "1 metadata Meta, 2 spec JobSpec, 3 status -",
  JobSpec:
    "1 parallelism int?, 2 completions int?, 3 activeDeadlineSeconds int?, 4 selector Selector, 5 manualSelector bool?, "
    + "6 template Template, 7 backoffLimit int?, 8 ttlSecondsAfterFinished int?, 9 completionMode text, 10 suspend bool?",
  CronJob: "1 metadata Meta, 2 spec CronJobSpec, 3 status -",
  CronJobSpec:
    "1 schedule text, 2 startingDeadlineSeconds int?, 3 concurrencyPolicy text, 4 suspend bool?, 5 jobTemplate JobTemplate, "
    + "6 successfulJobsHistoryLimit int?, 7 failedJobsHistoryLimit int?, 8 timeZone text",
  JobTemplate: "1 metadata Meta, 2 spec JobSpec",
  PodDisruptionBudget: "1 metadata Meta, 2 spec BudgetSpec, 3 status -",
  BudgetSpec: "1 minAvailable union?, 2 selector Selector, 3 maxUnavailable union?, 4 unhealthyPodEvictionPolicy text",

  Role: "1 metadata Meta, 2 rules Rule[]",
  ClusterRole: "1 metadata Meta, 2 rules Rule[], 3 aggregationRule Aggregation",
  Aggregation: "1 clusterRoleSelectors Selector[]",
  Rule: "1 verbs text[], 2 apiGroups text[], 3 resources text[], 4 resourceNames text[], 5 nonResourceURLs text[]",
  RoleBinding: "1 metadata Meta, 2 subjects Subject[], 3 roleRef RoleRef",
  ClusterRoleBinding: "1 metadata Meta, 2 subjects Subject[], 3 roleRef RoleRef",
  RoleRef: "1 apiGroup text, 2 kind text, 3 name text",
  Subject: "1 kind text, 2 apiGroup text, 3 name text, 4 namespace text",

  TokenRequest: "1 metadata Meta, 2 spec TokenRequestSpec, 3 status -",
  TokenRequestSpec: "1 audiences text[], 3 boundObjectRef BoundReference, 4 expirationSeconds int?",
  BoundReference: "1 kind text, 2 apiVersion text, 3 name text, 4 uid text",
  TokenReview: "1 metadata Meta, 2 spec TokenReviewSpec, 3 status -",
  TokenReviewSpec: "1 token text, 2 audiences text[]",
  SelfSubjectReview: "1 metadata Meta, 2 status -",
  SelfSubjectAccessReview: "1 metadata Meta, 2 spec AccessReviewSpec, 3 status -",
  SubjectAccessReview: "1 metadata Meta, 2 spec AccessReviewSpec, 3 status -",
  AccessReviewSpec:
    "1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes PathAttributes, 3 user text, 4 groups text[], 6 uid text",
  ResourceAttributes:
    "1 namespace text, 2 verb text, 3 group text, 4 version text, 5 resource text, 6 subresource text, 7 name text",
  PathAttributes: "1 path text, 2 verb text",
  SelfSubjectRulesReview: "1 metadata Meta, 2 spec RulesReviewSpec, 3 status -",
  RulesReviewSpec: "1 namespace text"
}

const LINE = /^([0-9]+) (\S+) ([A-Za-z-]+)(\[\])?(\?)?$/

const parsed = new Map<string, Message>(
  Object.entries(MESSAGES).map(([name, text]) => [
    name,
    new Map(
      text.split(", ").flatMap((line) => {
        const [, number, field = "", type = "", many, kept] = LINE.exec(line) ?? []
        return [[Number(number), { name: field, type, many: many !== undefined, kept: kept !== undefined }] as const]
      })
    )
  ])
)

/** Returns the fields of a message. */
export const find = (name: string): Message | undefined => parsed.get(name)
