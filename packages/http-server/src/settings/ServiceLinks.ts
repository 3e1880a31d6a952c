/**
 * The environment variables that Kubernetes adds to a pod for each Service beside it.
 *
 * A Service named `quarterdeck` gives every pod of its namespace `QUARTERDECK_PORT=tcp://…` and more of the kind. They are
 * not settings, and must neither stop the server nor be read by it.
 *
 * **Source** Kubernetes, "Service: Environment variables".
 */
/** Names of a Service and of its port have at most 63 and 15 characters. */
const MAX_NAME = 128
const NAME = /_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
const ADDRESS = /^(?:tcp|udp|sctp):\/\/[0-9A-Fa-f.:[\]]+:[0-9]+$/

/** Tells whether a variable is one of those; outside a pod none is. */
export const is = (name: string, value: string, variables: Readonly<Record<string, string>>): boolean =>
  variables["KUBERNETES_SERVICE_HOST"] !== undefined
  && name.length <= MAX_NAME
  && (NAME.test(name) || (name.endsWith("_PORT") && ADDRESS.test(value)))
