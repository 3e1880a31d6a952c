/**
 * Schemas of the cluster header.
 */
import { Schema } from "effect"
import { documents } from "./DocumentedText.ts"

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?"
const SPACE = "[ \\t]*"
const DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}(?:\\.[0-9]{1,2})?"

const patternOf = (name: string): string => `^${SPACE}(?:\\*|"\\*"|${name}(?:${SPACE}\\|${SPACE}${name})*)${SPACE}$`

/**
 * The cluster header under its default name. `Document` replaces the name with the server's setting.
 *
 * **Shape** `name`, `a|b`, `*`; without the header the request addresses the parent. The schema accepts any string: the server
 * parses the raw header, so that it can refuse a repeated one.
 */
export const targetHeader = {
  "x-service-cluster": Schema.optionalKey(
    Schema.String.check(documents({ pattern: patternOf(NAME), maxLength: 4_096 }))
  ).annotateKey({
    description: "One cluster (`prod`), several (`prod|stage`) or all in scope (`*`). Absent: the parent cluster.",
    examples: ["prod", "prod|stage", "*"]
  })
}

/** The cluster header of cost reports. It can also name clusters that are no longer registered. */
export const historyTargetHeader = {
  "x-service-cluster": Schema.optionalKey(
    Schema.String.check(documents({ pattern: patternOf(`${NAME}(?:@${DAY})?`), maxLength: 4_096 }))
  ).annotateKey({
    description:
      "One cluster (`prod`), several (`prod|stage`) or all in scope (`*`), including clusters that are no longer registered. `prod@2026-03-14` names an earlier cluster whose name is in use again. Absent: the parent cluster.",
    examples: ["prod", "prod|prod@2026-03-14", "*"]
  })
}
