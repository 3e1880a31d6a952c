/**
 * The contract as this server documents it at `/openapi.json` and `/docs`, both served without reaching the network.
 *
 * @since 0.1.0
 */
import { Api } from "@quarterdeck/contract/Api"
import { describeSecurity } from "@quarterdeck/contract/SecuritySchemes"
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import { Predicate } from "effect"
import { OpenApi } from "effect/http-api"

export const OPENAPI_PATH = "/openapi.json" as const
export const DOCS_PATH = "/docs" as const

/** Gives the contract with the name that this server's cluster header has. */
export const describe = (header: string) =>
  Api.annotate(OpenApi.Transform, (specification: Record<string, unknown>) =>
    describeSecurity(Api)(renameHeader(specification, header))
  )

/** Gives the pattern of a path of the documentation, which has no guard that would note it. */
export const routeOf = (url: string): string | undefined => {
  const [path] = url.split("?")
  return path === OPENAPI_PATH || path === DOCS_PATH ? path : undefined
}

/** Renames the parameter that the contract declares under the default name. */
const renameHeader = (specification: Record<string, unknown>, header: string): Record<string, unknown> => ({
  ...specification,
  paths: mapValues(specification["paths"], (item) =>
    mapValues(item, (operation) =>
      Predicate.isObject(operation) && "parameters" in operation && Array.isArray(operation.parameters)
        ? { ...operation, parameters: operation.parameters.map((parameter) => named(parameter, header)) }
        : operation
    )
  )
})

const named = (parameter: unknown, header: string): unknown =>
  Predicate.isObject(parameter)
  && "name" in parameter
  && "in" in parameter
  && parameter.in === "header"
  && parameter.name === ClusterHeader.DEFAULT_NAME.toLowerCase()
    ? { ...parameter, name: header }
    : parameter

const mapValues = (value: unknown, change: (member: unknown) => unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member)]))
    : value
