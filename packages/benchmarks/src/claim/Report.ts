/**
 * Prints claims as a Markdown table, for the terminal and the docs.
 */
import { Effect, FileSystem, type PlatformError } from "effect"
import { type Claim, type Figure, isMet, ratio } from "./Claim.ts"
import type { Outcome, Unmeasured } from "./Outcome.ts"

/** Prints a figure with about three significant digits. */
const print = ({ value, unit }: Figure): string => {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const number = value.toLocaleString("en-US", { maximumFractionDigits: digits })
  if (unit === "count") return number
  return unit === "/s" ? `${number}/s` : `${number} ${unit}`
}

const goalOf = ({ goal, ours }: Claim): string => {
  if (goal._tag === "absolute") return `≤ ${print({ value: goal.atMost, unit: ours.unit })}`
  return goal._tag === "ratio" ? `ratio ≤ ${goal.atMost}` : `ratio ≥ ${goal.atLeast}`
}

const cellsOf = (claim: Claim): ReadonlyArray<string> => {
  const against = ratio(claim)
  return [
    claim.claim,
    print(claim.ours),
    claim.peer === undefined ? "–" : `${print(claim.peer)} (${claim.peer.name})`,
    against === undefined ? "–" : against.toPrecision(2),
    goalOf(claim),
    isMet(claim) ? "met" : "MISSED",
    claim.note ?? ""
  ]
}

const HEAD = ["claim", "ours", "peer", "ratio", "goal", "", "note"]

/** Prints a Markdown table with one row per claim. */
const table = (claims: ReadonlyArray<Claim>): string =>
  [HEAD, HEAD.map(() => "---"), ...claims.map(cellsOf)].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const listed = (title: string, parts: ReadonlyArray<Unmeasured>): ReadonlyArray<string> =>
  parts.length === 0 ? [] : ["", `${title}:`, "", ...parts.map(({ part, reason }) => `- ${part}: ${reason}`)]

/** Prints the table of measured claims, and below it the parts without figures and the reasons. */
export const text = ({ claims, failed, leftOut }: Outcome): string =>
  [
    table(claims),
    ...listed("Left out, for this machine lacks it", leftOut),
    ...listed("Broke off, without a figure", failed)
  ].join("\n")

/** Prints the summary line. **Example** `harness: met 9 of 11, left out 2` */
export const verdict = (name: string, { claims, failed, leftOut }: Outcome): string =>
  [
    `${name}: met ${claims.filter(isMet).length} of ${claims.length}`,
    ...(leftOut.length === 0 ? [] : [`left out ${leftOut.length}`]),
    ...(failed.length === 0 ? [] : [`broke off ${failed.length}`])
  ].join(", ")

const markers = (name: string) => ({ from: `<!-- bench ${name} -->`, to: `<!-- end of bench ${name} -->` })

/**
 * Replaces the text between a page's two markers of that name. Appends text and markers if the page has none.
 */
const intoPage = (page: string, name: string, text: string): string => {
  const { from, to } = markers(name)
  const section = `${from}\n\n${text}\n\n${to}`
  const start = page.indexOf(from)
  const end = page.indexOf(to)
  if (start < 0 || end < start) return `${page.trimEnd()}\n\n${section}\n`
  return page.slice(0, start) + section + page.slice(end + to.length)
}

/** Writes a run's table into the docs. */
export const write = Effect.fnUntraced(function* (
  path: string,
  name: string,
  text: string
): Effect.fn.Return<void, PlatformError.PlatformError, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(path, intoPage(yield* files.readFileString(path), name, text))
})
