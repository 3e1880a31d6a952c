/**
 * How the OpenAPI document says that a key is presented, and where none is asked for.
 */
import { Context, Option } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"

const schemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key." },
  basic: { type: "http", scheme: "basic", description: "An API key as the password; the user name is not read." }
}

/** Either scheme will do. */
const KEY_REQUIRED = Object.keys(schemes).map((name) => ({ [name]: [] }))

/**
 * Adds the schemes to a specification: every operation asks for a key, but for those whose policy is public.
 *
 * The generator says `security: []` of an operation whose middleware reads the key itself, which would mean that it is
 * open to all.
 */
export const describeSecurity = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((specification: Record<string, unknown>) => Record<string, unknown>) => {
  const open = publicOperations(api)
  return (specification) => ({
    ...specification,
    security: KEY_REQUIRED,
    components: { ...asRecord(specification["components"]), securitySchemes: schemes },
    paths: mapValues(specification["paths"], (item) =>
      mapValues(item, (operation) => {
        const { operationId } = asRecord(operation)
        const isOpen = typeof operationId === "string" && open.has(operationId)
        return { ...asRecord(operation), security: isOpen ? [] : KEY_REQUIRED }
      })
    )
  })
}

/** **Example** `health.readyz` */
const publicOperations = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlySet<string> => {
  const operations = new Set<string>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const policy = Option.getOrUndefined(Context.getOption(mergedAnnotations, EndpointPolicy))
      if (policy === "public") operations.add(`${group.identifier}.${endpoint.identifier}`)
    }
  })
  return operations
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const mapValues = (value: unknown, change: (member: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(asRecord(value)).map(([key, member]) => [key, change(member)]))
