/**
 * The flags that lists share, and the query parameters that they become.
 */
import { Consistency } from "@quarterdeck/cluster-fanout/Coverage"
import { DEFAULT_LIMIT, Order } from "@quarterdeck/cluster-fanout/ListQuery"
import { Effect, Option } from "effect"
import { type Command, Flag } from "effect/cli"
import { misused } from "../print/CommandFailure.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as Print from "../print/Print.ts"

/** More rows than a table is for; a program reads pages. */
const MAX_ROWS = 100_000

/** A flag that takes several values joined by a comma. */
export const several = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withDescription(description),
    Flag.map((text) => text.split(",")),
    Flag.filter(
      (values) => !values.includes(""),
      () => "names joined by a comma, none of them empty"
    ),
    Flag.optional
  )

/** The flags that choose namespaces, as kubectl has them. */
export const namespaces = {
  namespace: several("namespace", "Namespaces, joined by a comma; all in the key's scope when left out").pipe(
    Flag.withAlias("n")
  ),
  allNamespaces: Flag.Boolean("all-namespaces").pipe(
    Flag.withAlias("A"),
    Flag.withDescription("Every namespace in the key's scope, as without --namespace"),
    Flag.withDefault(false)
  )
}

/** Gives the namespaces that are asked for. **Errors** `CommandFailure` with exit code 2 for both flags at once. */
export const namespacesOf = ({ allNamespaces, namespace }: Command.Command.Config.Infer<typeof namespaces>) =>
  allNamespaces && Option.isSome(namespace)
    ? Effect.fail(misused("--all-namespaces lists every namespace: leave out --namespace"))
    : Effect.succeed(namespace)

/** A flag that takes kinds in the words of {@link KindNames.parse}; lists call them kinds, reports of costs types. */
export const kinds = (flag: "kind" | "type") =>
  several(flag, "Kinds, joined by a comma, in kubectl's words: Deployment,sts,cronjobs").pipe(
    Flag.withAlias(flag === "kind" ? "type" : "kind"),
    Flag.map(Option.map((names) => names.map(KindNames.parse)))
  )

export const name = Flag.String("name").pipe(Flag.withDescription("A part of the name"), Flag.optional)

export const labelSelector = Flag.String("label-selector").pipe(
  Flag.withAlias("l"),
  Flag.withDescription("Labels, as kubectl takes them: app=web,tier!=db"),
  Flag.optional
)

export const order = Flag.Literals("order", Order.literals).pipe(Flag.withDescription("asc or desc"), Flag.optional)

export const consistency = Flag.Literals("consistency", Consistency.literals).pipe(
  Flag.withDescription("cache: what the service has watched; live: ask each cluster now"),
  Flag.optional
)

/** The limit as it was given. */
export const givenLimit = Flag.Int("limit").pipe(
  Flag.withDescription(`How many rows to print at most, up to ${MAX_ROWS}; default ${DEFAULT_LIMIT}`),
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

/** The flags that query parameters of a list come from. */
export const flagOf = {
  namespace: "--namespace",
  kind: "--kind",
  labelSelector: "--label-selector",
  name: "--name"
}

/** Writes the flags that are given as query parameters of the same name, one for each value. */
export const queryOf = (
  flags: Readonly<Record<string, Option.Option<string | ReadonlyArray<string>>>>
): ReadonlyArray<readonly [string, string]> =>
  Object.entries(flags).flatMap(([parameter, flag]) =>
    Option.match(flag, {
      onNone: () => [],
      onSome: (value) => (typeof value === "string" ? [value] : value).map((one) => [parameter, one] as const)
    })
  )

/** Tells the user when a limit has cut the list. */
export const noteRest = (rows: number, rest: string | undefined) =>
  rest === undefined ? Effect.void : Print.note(`note: more rows match than the ${rows} of --limit`)
