/**
 * The endpoints of the contract, by reflection.
 */
import { Api } from "@quarterdeck/contract/Api"
import { Authorization } from "@quarterdeck/contract/Authorization"
import { EndpointPolicy, type Policy } from "@quarterdeck/contract/Policy"
import { Context, Option } from "effect"
import { HttpApi } from "effect/http-api"

export interface Endpoint {
  /** The group and the endpoint in it, such as `apiKeys.create`. */
  readonly name: string
  readonly method: string
  /** The path with its parameters by name, such as `/api/v1/apiKeys/:id`. */
  readonly path: `/${string}`
  readonly policy: Policy | undefined
  /** True if the endpoint has the Authorization middleware, which enforces the policy. */
  readonly isGuarded: boolean
}

/** Every endpoint of the contract. */
export const all: ReadonlyArray<Endpoint> = (() => {
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations, middleware }) => {
      endpoints.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: `/${endpoint.path.replace(/^\//, "")}`,
        policy: Option.getOrUndefined(Context.getOption(mergedAnnotations, EndpointPolicy)),
        isGuarded: [...middleware].some(({ key }) => key === Authorization.key)
      })
    }
  })
  return endpoints
})()
