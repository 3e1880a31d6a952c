/**
 * What the demo prints.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { styleText } from "node:util"

const bold = (text: string): string => styleText("bold", text)
const dim = (text: string): string => styleText("dim", text)
const green = (text: string): string => styleText("green", text)

export const heading = (url: string, clusters: ReadonlyArray<string>, readyMs: number): string => {
  const [parent, ...children] = clusters
  return [
    "",
    `${bold("Quarterdeck")}  one address over many Kubernetes clusters`,
    `${green("ready")} in ${(readyMs / 1_000).toFixed(1)} s at ${bold(url)}: parent ${parent}, children ${children.join(", ")}`
  ].join("\n")
}

/** Prints the keys as lines to paste into a shell, so that the curl lines below work there. */
export const keys = (
  rows: ReadonlyArray<readonly [variable: string, role: string, reach: string, key: string]>
): string =>
  [
    "",
    dim("Keys of this demo; paste them into a shell to repeat the calls."),
    ...rows.map(([variable, role, reach, key]) => `${variable}=${key}  ${dim(`# ${role}: ${reach}`)}`)
  ].join("\n")

export const curl = (url: string, variable: string, path: string, target?: string): string =>
  `curl -s -H "Authorization: Bearer $${variable}" ${target === undefined ? "" : `-H 'X-Service-Cluster: ${target}' `}${url}${path}`

export const answer = (parts: {
  readonly title: string
  readonly curl: string
  readonly table: string
  readonly notes: ReadonlyArray<string>
}): string => ["", bold(parts.title), dim(`$ ${parts.curl}`), parts.table.trimEnd(), ...parts.notes.map(dim)].join("\n")

/** Says how each cluster's part was obtained, and how many rows are shown of how many. */
export const coverage = (clusters: ReadonlyArray<Coverage>, shown: number | undefined): ReadonlyArray<string> => {
  const total = clusters.reduce((sum, { count }) => sum + count, 0)
  const parts = clusters.map(
    ({ ageMs, count, name, source, status }) =>
      `${name} ${status} (${source}, ${(ageMs / 1_000).toFixed(1)} s old, ${count} rows)`
  )
  return [
    `coverage: ${parts.join("; ")}`,
    ...(shown === undefined ? [] : [`${shown} of ${total} rows shown; the answer's nextCursor gives the next page`])
  ]
}

export const more = (url: string): string =>
  ["", `${bold("More")}  ${url}/docs describes every call, ${url}/openapi.json says the same to programs.`, ""].join(
    "\n"
  )

export const waiting = dim("Ctrl-C ends the demo and takes its clusters with it.")
