/**
 * Validates Services as the real server does, and preserves their allocated addresses and ports.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/core/validation/validation.go` and `pkg/registry/core/service/storage`.
 */
import { arrayAt, at, isObject, type Json, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import {
  duplicate,
  type FieldError,
  forbiddenValue,
  immutable,
  invalidValue,
  required,
  unsupportedValue
} from "../core/Status.ts"

const TYPES = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]
const ADDRESS = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/

export const errors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const spec = objectAt(object, "spec")
  const type = textAt(spec, "type")
  const headless = textAt(spec, "clusterIP") === "None"
  const ports = arrayAt(spec, "ports")
  const needsPorts = type !== "ExternalName" && !headless && ports.length === 0
  return [
    ...(needsPorts ? [required("spec.ports")] : []),
    ...(ports.length > 1 ? nameErrors(ports) : []),
    ...ports.flatMap((port, index) =>
      ["port", "targetPort"].flatMap((name) => {
        const number = at(port, name) ?? 0
        return typeof number === "number" && (number < 1 || number > 65_535)
          ? [invalidValue(`spec.ports[${index}].${name}`, number, "must be from 1 to 65535")]
          : []
      })
    ),
    ...(TYPES.includes(type) ? [] : [unsupportedValue("spec.type", type, TYPES)]),
    ...(type === "ClusterIP" ? nodePortErrors(ports) : []),
    ...repeated(ports),
    ...arrayAt(spec, "clusterIPs").flatMap((address, place) =>
      typeof address !== "string" || address === "None" || address.includes(":") || ADDRESS.test(address)
        ? []
        : [invalidValue(`spec.clusterIPs[${place}]`, address, "must be an IP address or None")]
    )
  ]
}

/** Checks that several ports have distinct names. */
const nameErrors = (ports: ReadonlyArray<Json>): ReadonlyArray<FieldError> => {
  const names = ports.map((port) => textAt(port, "name"))
  return names.flatMap((name, place) => {
    const field = `spec.ports[${place}].name`
    if (name === "") return [required(field)]
    return names.indexOf(name) < place ? [duplicate(field, name)] : []
  })
}

/** Checks that a Service of type ClusterIP has no node ports. */
const nodePortErrors = (ports: ReadonlyArray<Json>): ReadonlyArray<FieldError> =>
  ports.flatMap((port, place) =>
    (numberAt(port, "nodePort") ?? 0) === 0
      ? []
      : [forbiddenValue(`spec.ports[${place}].nodePort`, "must not be set in a service of type ClusterIP")]
  )

const repeated = (ports: ReadonlyArray<Json>): ReadonlyArray<FieldError> => {
  const known = new Set<string>()
  return ports.flatMap((port, place) => {
    const key = `${textAt(port, "protocol")} ${numberAt(port, "port") ?? 0}`
    const again = known.has(key)
    known.add(key)
    return again ? [duplicate(`spec.ports[${place}]`, key)] : []
  })
}

/** Checks that the cluster IP does not change. */
export const changeErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const external = [object, before].some((one) => textAt(one, "spec", "type") === "ExternalName")
  const [now, old] = [textAt(object, "spec", "clusterIP"), textAt(before, "spec", "clusterIP")]
  return external || old === "" || now === old ? [] : [immutable("spec.clusterIPs[0]", now)]
}

/** Copies the cluster IP and node ports of the old Service to a new version that omits them. */
export const carrying = (object: JsonObject, before: JsonObject): JsonObject => {
  const [spec, old] = [objectAt(object, "spec"), objectAt(before, "spec")]
  if (textAt(spec, "type") === "ExternalName" || textAt(old, "type") === "ExternalName") return object
  const address = textAt(spec, "clusterIP")
  const addressed =
    address === ""
      ? put(put(object, ["spec", "clusterIP"], old["clusterIP"]), ["spec", "clusterIPs"], old["clusterIPs"])
      : object
  if (!isOpen(spec) || !isOpen(old)) return addressed
  const known = new Map(arrayAt(old, "ports").map((port) => [portKey(port), numberAt(port, "nodePort") ?? 0]))
  const ports = arrayAt(spec, "ports").map((port) => {
    const nodePort = known.get(portKey(port)) ?? 0
    return isObject(port) && (numberAt(port, "nodePort") ?? 0) === 0 && nodePort !== 0 ? { ...port, nodePort } : port
  })
  return spec["ports"] === undefined ? addressed : put(addressed, ["spec", "ports"], ports)
}

const isOpen = (spec: JsonObject): boolean => ["NodePort", "LoadBalancer"].includes(textAt(spec, "type"))

const portKey = (port: Json): string => `${textAt(port, "protocol") || "TCP"} ${numberAt(port, "port") ?? 0}`
