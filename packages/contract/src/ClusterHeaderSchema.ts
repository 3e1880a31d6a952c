/**
 * The targeting header, as the contract documents it.
 */
import { Schema } from "effect"
import { documents } from "./DocumentedText.ts"

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?"
const SPACE = "[ \\t]*"
const TARGET = `^${SPACE}(?:\\*|"\\*"|${NAME}(?:${SPACE}\\|${SPACE}${NAME})*)${SPACE}$`

/**
 * The header under its default name; a server with another name documents that one.
 *
 * **Shape** `name`, `a|b`, `*`; absent addresses the parent. The server reads the raw header, so that a repeated one
 * is refused rather than joined.
 */
export const targetHeader = {
  "x-service-cluster": Schema.optionalKey(
    Schema.String.check(documents({ pattern: TARGET, maxLength: 4_096 }))
  ).annotateKey({
    description: "One cluster (`prod`), several (`prod|stage`) or all in scope (`*`). Absent: the parent cluster.",
    examples: ["prod", "prod|stage", "*"]
  })
}
