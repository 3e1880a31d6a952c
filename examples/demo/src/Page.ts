/**
 * What the demo prints.
 */
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
    `${bold("Open")} ${url}/ in a browser and sign in with a key below: Users > API Keys makes others.`
  ].join("\n")
}

/**
 * Prints the keys as lines to paste into a shell, so that the curl lines below work there while the demo runs.
 *
 * **Shape** a comment has a line of its own: shells differ on what stands behind a command.
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
        ? "Keys of this demo; it ends when it has printed, and they with it: without --once they work until Ctrl-C."
        : "Keys of this demo; paste them into another shell to repeat the calls. Each call answers JSON, shown as a table here."
    ),
    ...rows.map(([variable, role, reach]) => dim(`  ${variable.padEnd(width)}  ${role}: ${reach}`)),
    ...rows.map(([variable, , , key]) => `${variable}=${key}`)
  ].join("\n")
}

/** Prints the lines that give the command line the demo's address and a key, and commands that use what only a demo tells. */
export const commandLine = (url: string, key: string, dataDirectory: string): string =>
  [
    "",
    dim("The quarterdeck commands ask this demo in a shell with these two lines:"),
    `export QUARTERDECK_URL=${url}`,
    `export QUARTERDECK_API_KEY=${key}`,
    dim("Most of its pods have written nothing; this one has:"),
    "npx pnpm@12 quarterdeck logs assistant-0 -n shop -c hub",
    dim(`Its data lies in ${dataDirectory}, and goes with it:`),
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

/** Says how each cluster's part was obtained, and how many rows the page holds of how many. */
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
      : [`${shown} of ${total} rows: the page that limit asks for; the answer's nextCursor gives the next`])
  ]
}

/** Says how much of the window each cluster was seen, and what all rows come to. */
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
  ["", `${bold("More")}  ${url}/docs describes every call, ${url}/openapi.json says the same to programs.`, ""].join(
    "\n"
  )

export const help = [
  "Usage: demo [--once] [--port NUMBER]",
  "",
  "Starts three clusters, a server in front of them and a key of each role, and shows what they answer.",
  "",
  "  --once         ends the demo after it has printed",
  "  --port NUMBER  the server's port, 0 for any free one; QUARTERDECK_PORT or 8080 when left out",
  "  --help, -h     prints this"
].join("\n")

export const waiting = dim("Ctrl-C ends the demo and takes its clusters with it.")
