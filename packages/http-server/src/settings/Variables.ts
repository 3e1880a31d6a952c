/**
 * Which environment variables are Quarterdeck's.
 */
import type { Row } from "./Row.ts"

/** Every environment variable that starts like this belongs to Quarterdeck. */
export const VARIABLE_PREFIX = "QUARTERDECK_"

/** The environment variable of a setting. **Example** that of `--keys-file` is `QUARTERDECK_KEYS_FILE` */
export const variableOf = (row: Pick<Row<unknown>, "flag">): string =>
  `${VARIABLE_PREFIX}${row.flag.toUpperCase().replaceAll("-", "_")}`

/** Variables of the client commands and of the tests; the server leaves them alone. */
export const FOREIGN_VARIABLES: ReadonlyArray<string> = [
  "QUARTERDECK_URL",
  "QUARTERDECK_API_KEY",
  "QUARTERDECK_DRIVERS"
]
