/**
 * The rule of a new key, from flags or from a file.
 */
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect, Option, Result } from "effect"
import { Flag } from "effect/cli"
import * as StrictYaml from "../../settings/StrictYaml.ts"
import { failed, misused } from "../print/CommandFailure.ts"
import * as Input from "../request/Input.ts"

/** A rule in its longest form is far smaller. */
const MAX_BYTES = 256 * 1024

export const ruleFlags = {
  role: Flag.Literals("role", Rule.Role.literals).pipe(
    Flag.withDescription("What the key may do: Viewer reads, Operator also acts on workloads, Admin manages"),
    Flag.optional
  ),
  clusters: Flag.String("clusters").pipe(
    Flag.withMetavar("a,b"),
    Flag.withDescription("Clusters that the key reaches, joined by a comma; all when left out"),
    Flag.optional
  ),
  namespaces: Flag.String("namespaces").pipe(
    Flag.withMetavar("x,y"),
    Flag.withDescription("Namespaces that the key reaches, joined by a comma; all when left out"),
    Flag.optional
  ),
  namespaceLabels: Flag.String("namespace-labels").pipe(
    Flag.withMetavar("k=v,..."),
    Flag.withDescription("Labels that those namespaces must carry, all of them; with --namespaces both must hold"),
    Flag.optional
  ),
  rule: Flag.String("rule").pipe(
    Flag.withMetavar("FILE|-"),
    Flag.withDescription("The whole rule in a YAML or JSON file, or - for standard input, instead of the flags above"),
    Flag.optional
  )
}

/** What the flags give. */
export interface RuleFlags {
  readonly role: Option.Option<Rule.Role>
  readonly clusters: Option.Option<string>
  readonly namespaces: Option.Option<string>
  readonly namespaceLabels: Option.Option<string>
  readonly rule: Option.Option<string>
}

/**
 * Reads the rule.
 *
 * **Shape** a flag that is given can only narrow: an empty one is refused and never means all.
 *
 * **Errors** `CommandFailure`, exit code 2 when the flags do not make a rule, 1 when the file does not.
 */
export const read = Effect.fn("KeyRule.read")(function* ({ rule, ...flags }: RuleFlags) {
  if (Option.isNone(rule)) return yield* fromFlags(flags)
  if (Object.values(flags).some(Option.isSome)) {
    return yield* misused(
      "--rule holds the whole rule: leave out --role, --clusters, --namespaces and --namespace-labels"
    )
  }
  return yield* fromFile(rule.value)
})

/** Tells whether any flag is given. */
export const isGiven = ({ clusters, namespaceLabels, namespaces, role, rule }: RuleFlags): boolean =>
  [clusters, namespaceLabels, namespaces, role, rule].some(Option.isSome)

/**
 * Reads the rule that is to take the place of another: what no flag gives stays as it is.
 *
 * **Errors** those of {@link read}, and of reading the present key, which is read only where part of its rule stays.
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
    return yield* misused("give --role (Viewer, Operator or Admin), or the whole rule by --rule")
  const labels = Option.map(flags.namespaceLabels, labelsOf)
  if (Option.isSome(labels) && labels.value === undefined) {
    return yield* misused("--namespace-labels must be key=value pairs joined by a comma, each key once")
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

/** The flags that give the fields of a rule; the first that fits counts. */
const FLAGS = [
  ["targetClusters", "--clusters"],
  ["targetNamespaces[0].namespaceNames", "--namespaces"],
  ["targetNamespaces[0].labelSelector.matchLabels", "--namespace-labels"],
  ["targetNamespaces", "--namespaces"]
] as const

/** Says what is wrong with what a flag gives. **Example** `--clusters, name 2: expected a cluster name` */
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
