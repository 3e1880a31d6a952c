/**
 * Recognizes the environment variables that Kubernetes adds to a pod for each Service of its namespace.
 *
 * A Service named `quarterdeck` adds `QUARTERDECK_PORT=tcp://…` and similar variables. They are not settings. The server
 * ignores them.
 *
 * **Source** Kubernetes, "Service: Environment variables".
 */
/** A Service name has at most 63 characters, a port name at most 15. */
const MAX_NAME = 128
const NAME = /_SERVICE_HOST$|_SERVICE_PORT(?:_[A-Z0-9_]+)?$|_PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
const ADDRESS = /^(?:tcp|udp|sctp):\/\/[0-9A-Fa-f.:[\]]+:[0-9]+$/

/** Returns true for a variable that Kubernetes added for a Service. Outside a pod, returns false. */
export const is = (name: string, value: string, variables: Readonly<Record<string, string>>): boolean =>
  variables["KUBERNETES_SERVICE_HOST"] !== undefined
  && name.length <= MAX_NAME
  && (NAME.test(name) || (name.endsWith("_PORT") && ADDRESS.test(value)))
