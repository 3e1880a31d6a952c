/**
 * The cases of targeting, which hold for every way of asking: REST and the tools of MCP.
 */
import { type Call, type KeyName, to } from "./Deployment.ts"

/** Targets that are answered: what it shows, the call, the clusters in the order of the answer. */
export const ANSWERED: ReadonlyArray<[string, Call, ReadonlyArray<string>]> = [
  ["one: the header names it", { headers: to("prod") }, ["prod"]],
  ["several: the header joins them, in its order", { headers: to("stage|prod") }, ["stage", "prod"]],
  ["several: names around spaces, and twice", { headers: to(" stage |\tprod|stage ") }, ["stage", "prod"]],
  ["all: the header is *", { headers: to("*") }, ["hub", "prod", "stage"]],
  ['all: the header is "*" with its quotes', { headers: to('"*"') }, ["hub", "prod", "stage"]],
  ["parent: there is no header", {}, ["hub"]],
  ["all: only those of the key's scope", { key: "childrenViewer", headers: to("*") }, ["prod", "stage"]],
  ["one: a scoped key names its own", { key: "prodViewer", headers: to("prod") }, ["prod"]],
  ["a header of any letter case", { headers: [["x-SERVICE-cluster", "prod"]] }, ["prod"]],
  [
    "a target in the query of another name is refused, not read; in a cookie it is not read",
    { headers: [["Cookie", "X-Service-Cluster=prod"]] },
    ["hub"]
  ],
  ["a target in the body of a GET is not read", { body: { multiCluster: true, clusters: ["prod"] } }, ["hub"]]
]

/** Headers that spell no target. */
export const NO_TARGET: ReadonlyArray<[string, string]> = [
  ["an empty segment", "a||b"],
  ["a trailing bar", "prod|"],
  ["a comma", "prod,stage"],
  ["a blank value", "  "],
  ["a wildcard among names", "prod|*"],
  ["a pattern", "pro*"],
  ["a quoted name", '"prod"'],
  ["a name outside the grammar", "-prod"],
  ["65 names", Array.from({ length: 65 }, (_, index) => `c${index}`).join("|")],
  ["more than 4 KiB", Array.from({ length: 60 }, () => "c".repeat(80)).join("|")]
]

/** Targets outside the scope of a key. */
export const OUTSIDE: ReadonlyArray<[string, KeyName, string]> = [
  ["a cluster that exists", "prodViewer", "stage"],
  ["a cluster that does not exist", "prodViewer", "nowhere"],
  ["one of several", "prodViewer", "prod|stage"],
  ["the parent by name", "childrenViewer", "hub"]
]

/** Targets that nobody registered. */
export const UNKNOWN: ReadonlyArray<[string, KeyName, string]> = [
  ["nobody registered", "viewer", "nowhere"],
  ["nobody registered, among others", "viewer", "prod|nowhere"],
  ["the scope names and nobody registered", "childrenViewer", "later"]
]
