/**
 * The targeting header, as the contract documents it.
 */
import { Schema } from "effect"
import { documents } from "./DocumentedText.ts"

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?"
const SPACE = "[ \\t]*"
const DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:\\.[0-9]{1,2})?"

const patternOf = (name: string): string => `^${SPACE}(?:\\*|"\\*"|${name}(?:${SPACE}\\|${SPACE}${name})*)${SPACE}$`

/**
 * The header under its default name; a server with another name documents that one.
 *
 * **Shape** `name`, `a|b`, `*`; absent addresses the parent. The server reads the raw header, so that a repeated one
 * is refused rather than joined.
 */
export const targetHeader = {
  "x-service-cluster": Schema.optionalKey(
    Schema.String.check(documents({ pattern: patternOf(NAME), maxLength: 4_096 }))
  ).annotateKey({
    description: "One cluster (`prod`), several (`prod|stage`) or all in scope (`*`). Absent: the parent cluster.",
    examples: ["prod", "prod|stage", "*"]
  })
}

/** The header of reports of costs, which names clusters that left too. */
export const historyTargetHeader = {
  "x-service-cluster": Schema.optionalKey(
    Schema.String.check(documents({ pattern: patternOf(`${NAME}(?:@${DAY})?`), maxLength: 4_096 }))
  ).annotateKey({
    description:
      "One cluster (`prod`), several (`prod|stage`) or all in scope (`*`), those that left included. `prod@2026-03-14`: the past of a cluster whose name another one has. Absent: the parent cluster.",
    examples: ["prod", "prod|prod@2026-03-14", "*"]
  })
}
