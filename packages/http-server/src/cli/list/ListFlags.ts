/**
 * The flags that list commands share, and their query parameters.
 */
import { Consistency } from "@quarterdeck/cluster-fanout/Coverage"
import { DEFAULT_LIMIT, Order } from "@quarterdeck/cluster-fanout/ListQuery"
import { WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import { Effect, Option } from "effect"
import { type Command, Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as Print from "../print/Print.ts"

/** Maximum rows of a command. Programs that need more rows read pages of the API. */
const MAX_ROWS = 100_000

/** Makes a flag that takes values joined by commas. */
export const several = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withDescription(description),
    Flag.map((text) => text.split(",")),
    Flag.filter(
      (values) => !values.includes(""),
      () => "names joined by commas, none of them empty"
    ),
    Flag.optional
  )

/** The flags of namespaces, as in kubectl. */
export const namespaces = {
  namespace: several("namespace", "Namespaces, joined by commas; default: all in the key's scope").pipe(
    Flag.withAlias("n")
  ),
  allNamespaces: Flag.Boolean("all-namespaces").pipe(
    Flag.withAlias("A"),
    Flag.withDescription("All namespaces in the key's scope, which is the default"),
    Flag.withDefault(false)
  )
}

/** Returns the requested namespaces. **Errors** `CommandFailure` with exit code 2 if both flags are given. */
export const namespacesOf = ({ allNamespaces, namespace }: Command.Command.Config.Infer<typeof namespaces>) =>
  allNamespaces && Option.isSome(namespace)
    ? Effect.fail(misused("--all-namespaces cannot be used with --namespace"))
    : Effect.succeed(namespace)

/** Makes a flag that takes the kind names of {@link KindNames.parse}. Lists call it `--kind`, cost reports `--type`. */
export const kinds = (flag: "kind" | "type") =>
  several(flag, "Kinds as kubectl names them, joined by commas: Deployment,sts,cronjobs").pipe(
    Flag.withAlias(flag === "kind" ? "type" : "kind"),
    Flag.map(Option.map((names) => names.map(KindNames.parse)))
  )

/** The `--status` flag of workloads. */
export const workloadStatus = several("status", `Statuses, joined by commas: ${WorkloadStatus.literals.join(", ")}`)

export const name = Flag.String("name").pipe(
  Flag.withDescription("Only rows whose name contains this text"),
  Flag.optional
)

export const labelSelector = Flag.String("label-selector").pipe(
  Flag.withAlias("l"),
  Flag.withDescription("Label selector, as in kubectl: app=web,tier!=db"),
  Flag.optional
)

export const order = Flag.Literals("order", Order.literals).pipe(
  Flag.withDescription("Sort order: asc or desc"),
  Flag.optional
)

export const consistency = Flag.Literals("consistency", Consistency.literals).pipe(
  Flag.withDescription("cache: read the server's cache; live: read each cluster now"),
  Flag.optional
)

/** The `--limit` flag; absent if not given. */
export const givenLimit = Flag.Int("limit").pipe(
  Flag.withDescription(`Maximum number of rows, up to ${MAX_ROWS}; default ${DEFAULT_LIMIT}`),
  Flag.filter(
    (count) => count >= 1 && count <= MAX_ROWS,
    () => `a whole number from 1 to ${MAX_ROWS}`
  ),
  Flag.optional
)

export const limit = Flag.map(
  givenLimit,
  Option.getOrElse(() => DEFAULT_LIMIT)
)

/** The flag of each query parameter. */
export const flagOf = {
  namespace: "--namespace",
  kind: "--kind",
  labelSelector: "--label-selector",
  name: "--name",
  status: "--status"
}

/** Makes a query parameter of the same name for each value of each given flag. */
export const queryOf = (
  flags: Readonly<Record<string, Option.Option<string | ReadonlyArray<string>>>>
): ReadonlyArray<readonly [string, string]> =>
  Object.entries(flags).flatMap(([parameter, flag]) =>
    Option.match(flag, {
      onNone: () => [],
      onSome: (value) => (typeof value === "string" ? [value] : value).map((one) => [parameter, one] as const)
    })
  )

/** Notes that a limit has truncated the list. */
export const noteRest = (rows: number, rest: string | undefined) =>
  rest === undefined ? Effect.void : Print.note(`note: more rows match than the ${rows} of --limit`)
