import { assert } from "@effect/vitest"
import { AccessReview, ReviewedResource, ReviewedVerb } from "@quarterdeck/contract/AccessReviewsGroup"
import { type Code, Problem } from "@quarterdeck/contract/Problem"
import { Seed } from "@quarterdeck/harness"
import { Role } from "@quarterdeck/keys/Rule"
import { Effect, Schema } from "effect"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

/** The questions of one key, and the keys; `pnpm access:check` asks ten times as many. */
const QUESTIONS = 25
const KEYS = Number(process.env["ACCESS_CHECK_KEYS"] ?? 40)

/** Registered ones, one that may be registered later, and one whose name nobody has. */
const CLUSTERS = ["hub", "prod", "stage", "later"] as const
/** Of the seed, with its labels; one of the server's own; and one that no cluster has. */
const NAMESPACES = ["shop", "payments", "shop-staging", "kube-system", "nowhere"] as const
const LABELS = { storefront: { team: "storefront" }, payments: { team: "payments" }, none: { team: "nobody" } } as const

const Question = Schema.Struct({
  resource: ReviewedResource,
  verb: ReviewedVerb,
  cluster: Schema.optionalKey(Schema.Literals(CLUSTERS)),
  namespace: Schema.optionalKey(Schema.Literals(NAMESPACES))
})
type Question = typeof Question.Type

const Selector = Schema.Struct({
  names: Schema.Array(Schema.Literals(NAMESPACES)).check(Schema.isMaxLength(2)),
  label: Schema.optionalKey(Schema.Literals(["storefront", "payments", "none"]))
})

const DrawnRule = Schema.Struct({
  role: Role,
  clusters: Schema.Array(Schema.Literals(CLUSTERS)).check(Schema.isMaxLength(3)),
  selectors: Schema.Array(Selector).check(Schema.isMaxLength(2))
})

/** **Shape** an empty list leaves its field out. */
const ruleOf = ({ clusters, role, selectors }: typeof DrawnRule.Type) => {
  const targetNamespaces = selectors
    .filter(({ label, names }) => label !== undefined || names.length > 0)
    .map(({ label, names }) => ({
      namespaceNames: names,
      ...(label === undefined ? {} : { labelSelector: { matchLabels: LABELS[label] } })
    }))
  return {
    role,
    ...(clusters.length === 0 ? {} : { targetClusters: clusters }),
    ...(targetNamespaces.length === 0 ? {} : { targetNamespaces })
  }
}

const METHODS = { read: "GET", create: "POST", operate: "PUT", delete: "DELETE" } as const
const NO_KEY = "/api/v1/apiKeys/key_that-nobody-has"

/** An action names its workload and a log its pod, so that there is no call without a namespace. */
const whole = (question: Question): Question =>
  question.resource === "logs" || (question.resource === "workloads" && question.verb === "operate")
    ? { namespace: "shop", ...question }
    : question

/** The real call of a question. **Shape** what writes has a body, or names an object, that fails once access is decided. */
const callOf = ({ cluster, namespace, resource, verb }: Question): readonly [path: string, call: Call] => {
  const headers = cluster === undefined ? [] : to(cluster)
  const query = namespace === undefined ? "" : `?namespace=${namespace}`
  const nothing = { nothing: true }
  switch (`${resource} ${verb}` as const) {
    case "cost read":
      return [
        "/detailedCostReport/getWorkloads",
        { method: "POST", headers, body: namespace === undefined ? {} : { namespaces: [namespace] } }
      ]
    case "logs read":
      return [`/api/v1/pods/${cluster ?? "hub"}/${namespace ?? "shop"}/no-pod/logs`, {}]
    case "workloads operate":
      return [
        `/api/v1/workloads/${cluster ?? "hub"}/${namespace ?? "shop"}/Deployment/no-workload/pause`,
        { method: "POST", body: {} }
      ]
    case "clusters delete":
      return [`/api/v1/clusters/${cluster ?? "hub"}${query}`, { method: "DELETE" }]
    case "apiKeys operate":
      return [`${NO_KEY}${query}`, { method: "PATCH", headers, body: {} }]
    case "apiKeys delete":
      return [`${NO_KEY}${query}`, { method: "DELETE", headers }]
    default:
      return [
        `/api/v1/${resource === "logs" ? "pods/logs" : resource}${query}`,
        { method: METHODS[verb], headers, ...(verb === "create" || verb === "operate" ? { body: nothing } : {}) }
      ]
  }
}

/** What only a call that was let through can be answered. */
const AFTER_ACCESS: ReadonlySet<Code> = new Set([
  "invalid_body",
  "cluster_configured",
  "key_not_found",
  "workload_not_found",
  "pod_not_found"
])
/** There is no such call. */
const NO_CALL: ReadonlySet<Code> = new Set(["not_found", "method_not_allowed"])

const no = (code: NonNullable<AccessReview["code"]>): AccessReview => ({ allowed: false, code })

const decodeProblem = Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))
const decodeReview = Schema.decodeUnknownEffect(Schema.fromJsonString(AccessReview), { onExcessProperty: "error" })

const reviewOf = (question: Question, credential: Call) =>
  Effect.gen(function* () {
    const { call } = yield* Deployment
    const { status, text } = yield* call("/api/v1/accessReviews", { method: "POST", body: question, ...credential })
    assert.strictEqual(status, 200, text)
    return yield* decodeReview(text)
  })

const realityOf = (question: Question, credential: Call) =>
  Effect.gen(function* () {
    const { call } = yield* Deployment
    const [path, options] = callOf(question)
    const { status, text } = yield* call(path, { ...options, ...credential })
    if (status < 300) return { allowed: true }
    const { code } = yield* decodeProblem(text)
    if (AFTER_ACCESS.has(code)) return { allowed: true }
    return { allowed: false, code: NO_CALL.has(code) ? ("unsupported" as const) : code }
  })

onOneDriver("access reviews", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect.prop(
    "answer as the call itself would be answered, whatever the key, the target and the call",
    [DrawnRule, Schema.Array(Question).check(Schema.isMinLength(QUESTIONS), Schema.isMaxLength(QUESTIONS))],
    ([rule, questions]) =>
      Effect.gen(function* () {
        const { raw } = yield* (yield* Deployment).createKey({ name: "asking", rule: ruleOf(rule) })
        for (const question of questions.map(whole)) {
          const said = yield* reviewOf(question, { bearer: raw })
          assert.deepStrictEqual(said, yield* realityOf(question, { bearer: raw }), JSON.stringify(question))
        }
      }),
    { arbitrary: { runs: KEYS, concurrency: 4, maxShrinks: 20 }, timeout: 600_000 }
  )

  it.effect.each<[string, Call, Question, AccessReview]>([
    ["a cell that nobody may", { key: "admin" }, { resource: "events", verb: "delete" }, no("unsupported")],
    ["a cell without an operation", { key: "admin" }, { resource: "cost", verb: "delete" }, no("unsupported")],
    ["what is only appended to", { key: "admin" }, { resource: "audit", verb: "delete" }, no("unsupported")],
    ["a role that is too low", { key: "viewer" }, { resource: "apiKeys", verb: "create" }, no("role_forbidden")],
    ["an Admin with a scope", { key: "prodAdmin" }, { resource: "prices", verb: "operate" }, no("role_forbidden")],
    [
      "the parent out of scope",
      { key: "prodViewer" },
      { resource: "workloads", verb: "read" },
      no("cluster_forbidden")
    ],
    [
      "a namespace out of scope",
      { key: "shopViewer" },
      { resource: "cost", verb: "read", cluster: "prod", namespace: "payments" },
      no("namespace_forbidden")
    ],
    [
      "a namespace without the label",
      { key: "teamViewer" },
      { resource: "workloads", verb: "read", namespace: "payments" },
      no("namespace_forbidden")
    ],
    [
      "a namespace with the label",
      { key: "teamViewer" },
      { resource: "workloads", verb: "read", namespace: "shop" },
      { allowed: true }
    ]
  ])("say of %s what is so", ([, credential, question, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* reviewOf(question, credential), expected)
      assert.deepStrictEqual(yield* realityOf(question, credential), expected)
    })
  )

  it.effect.each<[string, unknown, string]>([
    ["an unknown resource", { resource: "secrets", verb: "read" }, "resource"],
    ["an unknown verb", { resource: "workloads", verb: "list" }, "verb"],
    ["no verb", { resource: "workloads" }, "verb"],
    ["a cluster that no name can be", { resource: "workloads", verb: "read", cluster: "a|b" }, "cluster"],
    ["a namespace that no name can be", { resource: "workloads", verb: "read", namespace: "A" }, "namespace"],
    ["an unknown member", { resource: "workloads", verb: "read", namespaces: ["shop"] }, "namespaces"]
  ])("refuse %s, and name it", ([, body, field]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/api/v1/accessReviews", { method: "POST", body })
      assert.deepInclude(problem, { status: 400, code: "invalid_body", field })
    })
  )
})
