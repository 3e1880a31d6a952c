/** Validates the options of a seed, for callers without type checks. */
import { HarnessError, InvalidSeed } from "../../machine/HarnessError.ts"
import { Effect } from "effect"
import { NAMED } from "./SeedSize.ts"

/** The invalid option's path, its allowed values, and its value. */
type Problem = Pick<InvalidSeed, "field" | "allowed" | "given">

const MODES = ["reported", "bound", "none"]
const COUNTS = ["pods", "workloads", "nodes"]
/** Upper bound of all counts. */
const MAX_COUNT = 1_000_000

/** Checks the options of a seed. **Errors** `InvalidSeed` for the first invalid option. */
export const check = (
  cluster: string,
  options: Readonly<Record<"seed" | "size" | "pods" | "concurrency", unknown>>
): Effect.Effect<void, HarnessError> => {
  const { concurrency, pods, seed, size } = options
  const problem =
    sizeProblem(size)
    ?? (typeof seed === "number" && Number.isFinite(seed) ? undefined : problemWith("seed", "a finite number", seed))
    ?? (MODES.some((mode) => mode === pods) ? undefined : problemWith("pods", quoted(MODES), pods))
    ?? countProblem("concurrency", concurrency)
  return problem === undefined
    ? Effect.void
    : Effect.fail(new HarnessError({ cluster, reason: new InvalidSeed(problem) }))
}

const sizeProblem = (size: unknown): Problem | undefined => {
  const names = Object.keys(NAMED)
  if (typeof size === "string" && names.includes(size)) return undefined
  if (typeof size !== "object" || size === null || Array.isArray(size)) {
    return problemWith("size", `${quoted(names)}, or numbers { pods, workloads, nodes }`, size)
  }
  const counts = Object.entries(size).filter(([, count]) => count !== undefined)
  for (const [name, count] of counts) {
    const field = `size.${name}`
    const problem = COUNTS.includes(name)
      ? countProblem(field, count)
      : problemWith(field, `one of ${COUNTS.map((known) => `size.${known}`).join(", ")}`, count)
    if (problem !== undefined) return problem
  }
  return undefined
}

const countProblem = (field: string, count: unknown): Problem | undefined =>
  typeof count === "number" && Number.isInteger(count) && count >= 1 && count <= MAX_COUNT
    ? undefined
    : problemWith(field, "a whole number from 1 to 1,000,000", count)

const problemWith = (field: string, allowed: string, given: unknown): Problem => ({
  field,
  allowed,
  given: typeof given === "number" ? String(given) : (JSON.stringify(given) ?? String(given))
})

const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(", ")
