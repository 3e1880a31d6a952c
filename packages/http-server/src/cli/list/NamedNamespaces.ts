/**
 * Compares given namespaces with the existing ones, to report mistyped names.
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

/** Maximum namespaces to read, more than a hundred clusters usually have. Reading more would delay the command. */
const MAX_READ = 10_000
interface Named {
  readonly names: ReadonlyArray<string>
  /** The header that names the clusters; without it, the server's parent cluster is read. */
  readonly headers: Readonly<Record<string, string>>
  /** Further parameters of the list of namespaces. */
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  /** Selects the clusters whose namespaces are compared; default: all. */
  readonly isWanted?: (cluster: string) => boolean
  /** Makes the message about a missing namespace. */
  readonly absent: (name: string) => string
}

/** Turns a failure of {@link note} into a note: the command itself has succeeded. */
export const orUnknown = <A, R>(explaining: Effect.Effect<A, CommandFailure, R>) =>
  Effect.catchTag(explaining, "CommandFailure", ({ lines }) =>
    Print.note(`cannot check whether the namespaces exist: ${lines.join("; ")}`)
  )

/**
 * Notes each given namespace that no cluster lists, at most five, with a suggestion of a similar name.
 *
 * **Errors** `CommandFailure` if the list is refused, if a cluster's rows are stale or incomplete, or if there are more than
 * 10,000 namespaces.
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
  if (lacking !== undefined) return yield* failed(`cluster ${lacking.name} did not list all its namespaces`)
  if (rest !== undefined) return yield* failed(`there are more than ${MAX_READ} namespaces`)
  yield* MissingNames.tell({ names, known, absent, others: "of the namespaces" })
})

/** Reports whether a cluster's rows are current and complete. A stale answer may lack a new namespace. */
const isCurrent = (coverage: Coverage): boolean => coverage.status === "ok" && !isPartial([coverage])
