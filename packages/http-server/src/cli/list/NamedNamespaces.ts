/**
 * The namespaces that somebody names, held against those that there are: a slip of the fingers finds nothing, and reaches nothing.
 */
import { type Coverage, isPartial } from "@quarterdeck/cluster-fanout/Coverage"
import { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { Effect } from "effect"
import * as ApiClient from "../request/ApiClient.ts"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as MissingNames from "./MissingNames.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"

/** More than a fleet of a hundred clusters has; of more, reading all would take longer than the answer that is explained. */
const MAX_READ = 10_000
interface Named {
  readonly names: ReadonlyArray<string>
  /** Which clusters are asked; without the header it is the parent. */
  readonly headers: Readonly<Record<string, string>>
  /** Further parameters of the list of namespaces. */
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  /** Of which of them rows count; all of them when left out. */
  readonly isWanted?: (cluster: string) => boolean
  /** Says that a namespace is not there. */
  readonly absent: (name: string) => string
}

/** Says instead of a failure that something cannot be told: what was to be explained is done already. */
export const orUnknown = <A, R>(explaining: Effect.Effect<A, CommandFailure, R>) =>
  Effect.catchTag(explaining, "CommandFailure", ({ lines }) =>
    Print.note(`whether the namespaces are there cannot be told: ${lines.join("; ")}`)
  )

/**
 * Says on standard error which namespaces no cluster lists, five at most, and what may have been meant.
 *
 * **Errors** `CommandFailure` where that cannot be told: the list is refused, what a cluster gave is old or not whole, or there
 * are more than 10,000.
 */
export const note = Effect.fn("NamedNamespaces.note")(function* (
  connection: Connection,
  { absent, headers, isWanted = () => true, names, query = [] }: Named
) {
  const { pages, rest } = yield* Pages.read(
    MAX_READ,
    (page) =>
      ApiClient.call(connection, NamespaceList, {
        method: "GET",
        path: "/api/v1/namespaces",
        query: [...query, ...page],
        headers
      }),
    ({ namespaces }) => namespaces
  )
  const rows = pages.flatMap(({ namespaces }) => namespaces).filter(({ cluster }) => isWanted(cluster))
  const known = [...new Set(rows.map(({ name }) => name))]
  if (names.every((name) => known.includes(name))) return
  const lacking = pages.flatMap(({ clusters }) => clusters).find((one) => isWanted(one.name) && !isCurrent(one))
  if (lacking !== undefined) return yield* failed(`cluster ${lacking.name} did not list what it has now`)
  if (rest !== undefined) return yield* failed(`there are more than ${MAX_READ}`)
  yield* MissingNames.tell({ names, known, absent, others: "of the namespaces" })
})

/** Whether a cluster gave all that it has now: a namespace may have been made since an old answer. */
const isCurrent = (coverage: Coverage): boolean => coverage.status === "ok" && !isPartial([coverage])
