/** The output of the demo. */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { CostCoverage, CostTotals } from "@quarterdeck/cost/CostRow"
import { styleText } from "node:util"

const bold = (text: string): string => styleText("bold", text)
const dim = (text: string): string => styleText("dim", text)
const green = (text: string): string => styleText("green", text)

export const heading = (url: string, clusters: ReadonlyArray<string>, readyMs: number): string => {
  const [parent, ...children] = clusters
  return [
    "",
    `${bold("Quarterdeck")}  one address over many Kubernetes clusters`,
    `${green("ready")} in ${(readyMs / 1_000).toFixed(1)} s at ${bold(url)}: parent ${parent}, children ${children.join(", ")}`,
    `${bold("Open")} ${url}/ in a browser and sign in with a key below. Users > API Keys creates more.`
  ].join("\n")
}

/**
 * Formats the keys as shell assignments, so that the curl lines below work in another shell while the demo runs.
 *
 * **Shape** comments have their own lines, because not every shell accepts them after a command.
 */
export const keys = (
  rows: ReadonlyArray<readonly [variable: string, role: string, reach: string, key: string]>,
  endsAtOnce: boolean
): string => {
  const width = rows.reduce((most, [variable]) => Math.max(most, variable.length), 0)
  return [
    "",
    dim(
      endsAtOnce
        ? "Keys of this demo. With --once they stop working when the output is complete; without it they work until Ctrl-C."
        : "Keys of this demo. Paste them into another shell to repeat the calls, which return JSON; shown here as tables."
    ),
    ...rows.map(([variable, role, reach]) => dim(`  ${variable.padEnd(width)}  ${role}: ${reach}`)),
    ...rows.map(([variable, , , key]) => `${variable}=${key}`)
  ].join("\n")
}

/** Formats the lines that connect the command line to the demo, and two example commands. */
export const commandLine = (url: string, key: string, dataDirectory: string, pod: string): string =>
  [
    "",
    dim("With these two lines, quarterdeck commands in a shell use this demo:"),
    `export QUARTERDECK_URL=${url}`,
    `export QUARTERDECK_API_KEY=${key}`,
    dim("Follow the log of a pod:"),
    `npx pnpm@12 quarterdeck logs ${pod} -n shop -c hub --follow`,
    dim(`The demo's data is in ${dataDirectory} until it ends:`),
    `npx pnpm@12 quarterdeck audit verify --data ${dataDirectory}`
  ].join("\n")

export const curl = (url: string, variable: string, path: string, target?: string): string => {
  const header = target === undefined ? "" : `-H 'X-Service-Cluster: ${target}' `
  return `curl -s -H "Authorization: Bearer $${variable}" ${header}'${url}${path}'`
}

export const curlOfBody = (url: string, variable: string, path: string, body: object): string =>
  `curl -s -H "Authorization: Bearer $${variable}" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' '${url}${path}'`

export const answer = (parts: {
  readonly title: string
  readonly curl: string
  readonly table: string
  readonly notes: ReadonlyArray<string>
}): string => ["", bold(parts.title), dim(`$ ${parts.curl}`), parts.table.trimEnd(), ...parts.notes.map(dim)].join("\n")

/** Formats the source and age of each cluster's rows, and the number of rows on the page. */
export const coverage = (clusters: ReadonlyArray<Coverage>, shown: number | undefined): ReadonlyArray<string> => {
  const total = clusters.reduce((sum, { count }) => sum + count, 0)
  const parts = clusters.map(
    ({ ageMs, count, name, source, status }) =>
      `${name} ${status} (${source}, ${(ageMs / 1_000).toFixed(1)} s old, ${count} ${count === 1 ? "row" : "rows"})`
  )
  return [
    `coverage: ${parts.join("; ")}`,
    ...(shown === undefined
      ? []
      : [`${shown} of ${total} rows: limit sets the size of a page; nextCursor in the response leads to the next page`])
  ]
}

/** Formats how much of the window is known for each cluster, and the totals. */
export const costCoverage = (
  clusters: ReadonlyArray<CostCoverage>,
  { savingsAvailable, totalCost }: Pick<CostTotals, "savingsAvailable" | "totalCost">,
  currency: string
): ReadonlyArray<string> => {
  const hours = (value: number): string => value.toFixed(1)
  const parts = clusters.map(
    ({ hoursCovered, hoursInWindow, name }) => `${name} ${hours(hoursCovered)} of ${hours(hoursInWindow)} hours`
  )
  return [
    `coverage: ${parts.join("; ")}`,
    `all rows: ${totalCost.toFixed(2)} ${currency}, of which ${savingsAvailable.toFixed(2)} could be saved`
  ]
}

export const more = (url: string): string =>
  ["", `${bold("More")}  ${url}/docs describes every call; ${url}/openapi.json is the OpenAPI document.`, ""].join("\n")

export const help = [
  "Usage: demo [--once] [--port NUMBER]",
  "",
  "Starts three clusters, a server in front of them and a key for each role, and prints example calls.",
  "",
  "  --once         end after printing",
  "  --port NUMBER  port of the server, 0 for a free one (default: QUARTERDECK_PORT, or 8080)",
  "  --help, -h     print this help"
].join("\n")

export const waiting = dim("Ctrl-C ends the demo and its clusters.")
