/**
 * The flag that names the clusters of a client command.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import type { Connection } from "./Connection.ts"

/** No header of 4 KiB holds more names; how many one request may name is the server's to say. */
const MAX_NAMES = 4_096

/** Takes the text of the cluster header, and checks its grammar before anything is sent. */
export const targetFlag = Flag.String("cluster").pipe(
  Flag.withAlias("c"),
  Flag.withMetavar("a|b|*"),
  Flag.withDescription("One cluster, several joined by |, or * for all in the key's scope; in quotes, for the shell"),
  Flag.filter(
    (text) => Result.isSuccess(ClusterHeader.parse([text], MAX_NAMES)),
    () => "a cluster's name, several joined by |, or *"
  ),
  Flag.optional
)

/** The header that a flag asks for. */
export const headersOf = (connection: Connection, target: Option.Option<string>): Readonly<Record<string, string>> =>
  Option.match(target, { onNone: () => ({}), onSome: (text) => ({ [connection.clusterHeader]: text }) })
