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

/** Upper bound of the names below. A Service name has at most 63 characters, a port name at most 15. */
const MAX_NAME = 128
const SERVICE_NAME =
  /_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\/[0-9A-Fa-f.:[\]]+:[0-9]+$/

/**
 * Returns true for a variable that Kubernetes added to the pod for a Service of its namespace. Outside a pod, returns
 * false.
 *
 * A Service named `quarterdeck` adds `QUARTERDECK_PORT=tcp://…` and similar variables. They are not settings. The server
 * ignores them.
 *
 * **Source** Kubernetes, "Service: Environment variables".
 */
export const isServiceLink = (name: string, value: string, variables: Readonly<Record<string, string>>): boolean =>
  variables["KUBERNETES_SERVICE_HOST"] !== undefined
  && name.length <= MAX_NAME
  && (SERVICE_NAME.test(name) || (name.endsWith("_PORT") && SERVICE_ADDRESS.test(value)))
