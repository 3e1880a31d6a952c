/**
 * The namespaces that somebody names, held against those that there are: a slip of the fingers finds nothing, and reaches nothing.
 */
import { isPartial } from "@quarterdeck/cluster-fanout/Coverage"
import { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Effect } from "effect"
import * as Nearest from "../settings/Nearest.ts"
import * as ApiClient from "./ApiClient.ts"
import { type CommandFailure, failed } from "./CommandFailure.ts"
import type { Connection } from "./Connection.ts"
import * as Pages from "./Pages.ts"
import * as Print from "./Print.ts"

/** More than a fleet of a hundred clusters has; of more, reading all would take longer than the answer that is explained. */
const MAX_READ = 10_000
/** More names than one has mistyped. */
const MAX_TOLD = 5

interface Named {
  readonly names: ReadonlyArray<string>
  /** Which clusters are asked; without the header it is the parent. */
  readonly headers: Readonly<Record<string, string>>
  /** Of which of them rows count; all of them when left out. */
  readonly isWanted?: (cluster: string) => boolean
  /** Says that a namespace is not there. */
  readonly absent: (name: string) => string
}

/** Says instead of a failure that nothing can be told: what was to be explained is done already. */
export const orUnknown = <A, R>(explaining: Effect.Effect<A, CommandFailure, R>) =>
  Effect.catchTag(explaining, "CommandFailure", ({ lines }) =>
    Print.note(`whether there are such namespaces cannot be told: ${lines.join("; ")}`)
  )

/**
 * Says on standard error which namespaces no cluster lists, five at most, and what may have been meant.
 *
 * **Errors** `CommandFailure` where that cannot be told: the list is refused, a cluster lacks, or there are more than 10,000.
 */
export const note = Effect.fn("NamedNamespaces.note")(function* (
  connection: Connection,
  { absent, headers, isWanted = () => true, names }: Named
) {
  const { pages, rest } = yield* Pages.read(
    MAX_READ,
    (query) => ApiClient.call(connection, NamespaceList, { method: "GET", path: "/api/v1/namespaces", query, headers }),
    ({ namespaces }) => namespaces
  )
  const lacking = pages.flatMap(({ clusters }) => clusters).find((one) => isWanted(one.name) && isPartial([one]))
  if (lacking !== undefined) return yield* failed(`cluster ${lacking.name} did not list its namespaces`)
  if (rest !== undefined) return yield* failed(`there are more namespaces than ${MAX_READ}`)
  const rows = pages.flatMap(({ namespaces }) => namespaces).filter(({ cluster }) => isWanted(cluster))
  const known = new Set(rows.map(({ name }) => name))
  const others = [...known].filter((name) => !names.includes(name))
  const missing = [...new Set(names)].filter((name) => !known.has(name))
  for (const name of missing.slice(0, MAX_TOLD)) {
    yield* Print.note(`${absent(name)}${Nearest.suggestion(Nearest.find(name, others))}`)
  }
})
