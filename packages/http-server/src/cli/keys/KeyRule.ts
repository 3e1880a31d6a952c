/**
 * The rule of a key, from flags or from a file.
 */
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect, Option, Result } from "effect"
import { Flag } from "effect/cli"
import * as StrictYaml from "../../settings/StrictYaml.ts"
import { failed, misused } from "../print/CommandFailure.ts"
import * as Input from "../request/Input.ts"

/** Maximum size of a rule file. The longest possible rule is far smaller. */
const MAX_BYTES = 256 * 1024

export const ruleFlags = {
  role: Flag.Literals("role", Rule.Role.literals).pipe(
    Flag.withDescription("Viewer reads, Operator also acts on workloads, Admin also manages keys, clusters and prices"),
    Flag.optional
  ),
  clusters: Flag.String("clusters").pipe(
    Flag.withMetavar("a,b"),
    Flag.withDescription("Clusters in the key's scope, joined by commas; default: all"),
    Flag.optional
  ),
  namespaces: Flag.String("namespaces").pipe(
    Flag.withMetavar("x,y"),
    Flag.withDescription("Namespaces in the key's scope, joined by commas; default: all"),
    Flag.optional
  ),
  namespaceLabels: Flag.String("namespace-labels").pipe(
    Flag.withMetavar("k=v,..."),
    Flag.withDescription(
      "Labels that a namespace in the key's scope must have, all of them; with --namespaces both apply"
    ),
    Flag.optional
  ),
  rule: Flag.String("rule").pipe(
    Flag.withMetavar("FILE|-"),
    Flag.withDescription("YAML or JSON file with the whole rule, or - for standard input; replaces the flags above"),
    Flag.optional
  )
}

/** The given flags. */
export interface RuleFlags {
  readonly role: Option.Option<Rule.Role>
  readonly clusters: Option.Option<string>
  readonly namespaces: Option.Option<string>
  readonly namespaceLabels: Option.Option<string>
  readonly rule: Option.Option<string>
}

/**
 * Reads a whole rule.
 *
 * **Shape** a given flag can only narrow the scope. An empty value is refused and never means all.
 *
 * **Errors** `CommandFailure` with exit code 2 for invalid flags, 1 for an invalid file.
 */
export const read = Effect.fn("KeyRule.read")(function* ({ rule, ...flags }: RuleFlags) {
  if (Option.isNone(rule)) return yield* fromFlags(flags)
  if (Object.values(flags).some(Option.isSome)) {
    return yield* misused("--rule cannot be used with --role, --clusters, --namespaces or --namespace-labels")
  }
  return yield* fromFile(rule.value)
})

/** Reports whether any flag of the rule is given. */
export const isGiven = ({ clusters, namespaceLabels, namespaces, role, rule }: RuleFlags): boolean =>
  [clusters, namespaceLabels, namespaces, role, rule].some(Option.isSome)

/**
 * Reads the new rule of an existing key. Parts without a flag stay unchanged.
 *
 * **Errors** as {@link read}, and those of `present`, which is not run if `--rule` is given.
 */
export const narrow = Effect.fn("KeyRule.narrow")(function* <E, R>(
  flags: RuleFlags,
  present: Effect.Effect<{ readonly rule: Rule.Rule }, E, R>
) {
  if (Option.isSome(flags.rule)) return yield* read(flags)
  const { rule } = yield* present
  const given = yield* read({ ...flags, role: Option.orElseSome(flags.role, () => rule.role) })
  const decoded: Rule.Rule = { ...rule, ...given }
  return decoded
})

const fromFlags = Effect.fnUntraced(function* (flags: Omit<RuleFlags, "rule">) {
  if (Option.isNone(flags.role))
    return yield* misused("give --role (Viewer, Operator or Admin), or the whole rule with --rule")
  const labels = Option.map(flags.namespaceLabels, labelsOf)
  if (Option.isSome(labels) && labels.value === undefined) {
    return yield* misused("--namespace-labels must be key=value pairs joined by commas, each key once")
  }
  const matchLabels = Option.getOrUndefined(labels)
  const scopesNamespaces = Option.isSome(flags.namespaces) || matchLabels !== undefined
  const decoded = Rule.decode({
    role: flags.role.value,
    ...Option.match(flags.clusters, { onNone: () => ({}), onSome: (text) => ({ targetClusters: text.split(",") }) }),
    ...(scopesNamespaces
      ? {
          targetNamespaces: [
            {
              namespaceNames: Option.match(flags.namespaces, { onNone: () => [], onSome: (text) => text.split(",") }),
              ...(matchLabels === undefined ? {} : { labelSelector: { matchLabels } })
            }
          ]
        }
      : {})
  })
  return yield* Effect.fromResult(decoded).pipe(
    Effect.mapError(({ field, message, problem }) => misused(givenBy(field, problem) ?? message))
  )
})

/** The flag of each field of a rule. The first entry applies whose path is the start of the field's path. */
const FLAGS = [
  ["targetClusters", "--clusters"],
  ["targetNamespaces[0].namespaceNames", "--namespaces"],
  ["targetNamespaces[0].labelSelector.matchLabels", "--namespace-labels"],
  ["targetNamespaces", "--namespaces"]
] as const

/**
 * Makes the message about an invalid field, with its flag.
 *
 * **Example** `--clusters, name 2: expected a cluster name`
 */
const givenBy = (field: string, problem: string): string | undefined => {
  const [path, flag] = FLAGS.find(([path]) => field.startsWith(path)) ?? []
  if (path === undefined) return undefined
  const [, index, key] = /^(?:\[([0-9]+)\])?\.?(.*)$/.exec(field.slice(path.length)) ?? []
  const place = index === undefined ? key : `name ${Number(index) + 1}`
  return `${flag}${place === undefined || place === "" ? "" : `, ${place}`}: ${problem}`
}

const fromFile = Effect.fnUntraced(function* (path: string) {
  const text = yield* Input.read(path, MAX_BYTES)
  const source = Input.nameOf(path)
  const node = yield* Effect.fromResult(StrictYaml.parse(text)).pipe(
    Effect.mapError((faults) =>
      failed(...faults.map(({ message, place }) => `${source}:${place.line}:${place.column}: ${message}`))
    )
  )
  const decoded = Result.mapError(Rule.decode(StrictYaml.toValue(node)), ({ message }) =>
    failed(`${source}: ${message}`)
  )
  return yield* Effect.fromResult(decoded)
})

const labelsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = text.split(",").map((pair) => {
    const at = pair.indexOf("=")
    return at < 1 ? undefined : ([pair.slice(0, at), pair.slice(at + 1)] as const)
  })
  const whole = pairs.filter((pair) => pair !== undefined)
  const labels = Object.fromEntries(whole)
  return whole.length === pairs.length && Object.keys(labels).length === pairs.length ? labels : undefined
}
