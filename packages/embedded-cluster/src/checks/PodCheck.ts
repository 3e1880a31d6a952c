/**
 * Validates pods and pod templates as the real server does.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/core/validation/validation.go`.
 */
import { arrayAt, type Json, textAt } from "../core/Json.ts"
import { labelProblem } from "../core/Names.ts"
import { duplicate, type FieldError, invalidValue, missing, required } from "../core/Status.ts"

/** Checks the containers of a pod and the volumes that they mount. */
export const errors = (spec: Json | undefined, path: string): ReadonlyArray<FieldError> => {
  const volumes = arrayAt(spec, "volumes")
  const names = new Set(volumes.map((volume) => textAt(volume, "name")))
  const mounting = (list: string) =>
    arrayAt(spec, list).flatMap((container, place) => mountErrors(container, `${path}.${list}[${place}]`, names))
  return [
    ...volumeErrors(volumes, `${path}.volumes`),
    ...containerErrors(spec, path),
    ...mounting("containers"),
    ...mounting("initContainers")
  ]
}

/** Checks the containers of a pod template that will get further volumes. */
export const containerErrors = (spec: Json | undefined, path: string): ReadonlyArray<FieldError> => {
  const containers = arrayAt(spec, "containers")
  if (containers.length === 0) return [required(`${path}.containers`)]
  return [
    ...listErrors(containers, `${path}.containers`),
    ...listErrors(arrayAt(spec, "initContainers"), `${path}.initContainers`)
  ]
}

const volumeErrors = (volumes: ReadonlyArray<Json>, path: string): ReadonlyArray<FieldError> => {
  const known = new Set<string>()
  return volumes.flatMap((volume, place) => {
    const field = `${path}[${place}].name`
    const name = textAt(volume, "name")
    if (name === "") return [required(field)]
    const problem = labelProblem(name)
    if (problem !== undefined) return [invalidValue(field, name, problem)]
    const repeated = known.has(name)
    known.add(name)
    return repeated ? [duplicate(field, name)] : []
  })
}

const mountErrors = (container: Json, path: string, volumes: ReadonlySet<string>): ReadonlyArray<FieldError> => {
  const known = new Set<string>()
  return arrayAt(container, "volumeMounts").flatMap((mount, place) => {
    const where = `${path}.volumeMounts[${place}]`
    const name = textAt(mount, "name")
    const target = textAt(mount, "mountPath")
    const repeated = known.has(target)
    known.add(target)
    return [
      ...(name === "" ? [required(`${where}.name`)] : []),
      ...(volumes.has(name) ? [] : [missing(`${where}.name`, name)]),
      ...(target === "" ? [required(`${where}.mountPath`)] : []),
      ...(repeated ? [invalidValue(`${where}.mountPath`, target, "must be unique")] : [])
    ]
  })
}

const listErrors = (containers: ReadonlyArray<Json>, path: string): ReadonlyArray<FieldError> => {
  const known = new Set<string>()
  return containers.flatMap((container, index) => {
    const name = textAt(container, "name")
    const repeated = known.has(name)
    known.add(name)
    const problem = name === "" ? undefined : labelProblem(name)
    return [
      ...(name === "" ? [required(`${path}[${index}].name`)] : []),
      ...(problem === undefined ? [] : [invalidValue(`${path}[${index}].name`, name, problem)]),
      ...(repeated && name !== "" ? [duplicate(`${path}[${index}].name`, name)] : []),
      ...(textAt(container, "image") === "" ? [required(`${path}[${index}].image`)] : [])
    ]
  })
}
