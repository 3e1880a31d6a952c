/**
 * The environment variables of Quarterdeck.
 */
import type { Row } from "./Row.ts"

/** The prefix of every environment variable of Quarterdeck. */
export const VARIABLE_PREFIX = "QUARTERDECK_"

/** Returns the environment variable of a setting. **Example** `QUARTERDECK_KEYS_FILE` for `--keys-file` */
export const variableOf = (row: Pick<Row<unknown>, "flag">): string =>
  `${VARIABLE_PREFIX}${row.flag.toUpperCase().replaceAll("-", "_")}`

/** Variables of the client commands and of the tests. The server ignores them. */
export const FOREIGN_VARIABLES: ReadonlyArray<string> = [
  "QUARTERDECK_URL",
  "QUARTERDECK_API_KEY",
  "QUARTERDECK_DRIVERS"
]
