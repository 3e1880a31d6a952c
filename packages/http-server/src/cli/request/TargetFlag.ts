/**
 * The `--cluster` flag of client commands.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as HistoryName from "@quarterdeck/targeting/HistoryName"
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import type { Connection } from "./Connection.ts"

/** Maximum names in the flag: more than a header of 4 KiB can hold. The server has its own limit. */
const MAX_NAMES = 4_096

const flagOf = (isName: (text: string) => text is HistoryName.HistoryName, description: string, allowed: string) =>
  Flag.String("cluster").pipe(
    Flag.withAlias("c"),
    Flag.withMetavar("a|b|*"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => Result.isSuccess(ClusterHeader.parseOf(isName)([text], MAX_NAMES)),
      () => allowed
    ),
    Flag.optional
  )

/** Takes the text of the cluster header and checks its grammar before the request. */
export const targetFlag = flagOf(
  ClusterName.is,
  "One cluster, several joined by |, or * for all in the key's scope; quote | and * for the shell. Without the flag: the server's parent cluster (for the command clusters: all in the key's scope)",
  "a cluster's name, several joined by |, or *"
)

/** As {@link targetFlag}, for cost reports: also takes names of histories of removed clusters. */
export const historyTargetFlag = flagOf(
  HistoryName.is,
  "One cluster, several joined by |, or * for all in the key's scope; also removed clusters: prod, prod@2026-03-01. Without the flag: the server's parent cluster",
  "a cluster's name, such a name and a day (prod@2026-03-01), several joined by |, or *"
)

/** Makes the cluster header from the flag; no header without the flag. */
export const headersOf = (connection: Connection, target: Option.Option<string>): Readonly<Record<string, string>> =>
  Option.match(target, { onNone: () => ({}), onSome: (text) => ({ [connection.clusterHeader]: text }) })
