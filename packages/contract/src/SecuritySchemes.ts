/**
 * Security schemes of the OpenAPI document, and the operations that need none.
 */
import { Context, Option } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"

const schemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key." },
  basic: { type: "http", scheme: "basic", description: "An API key as the password. The user name is ignored." }
}

/** The scheme of the server's own pages. Programs send keys. */
const session = {
  type: "apiKey",
  in: "cookie",
  name: "qd_session",
  description: "Session of a browser on the server's own pages. Over HTTPS the cookie is `__Host-qd_session`."
}

/** Either scheme is accepted. */
const KEY_REQUIRED = Object.keys(schemes).map((name) => ({ [name]: [] }))

const REQUIRED = { public: [], session: [{ session: [] }], key: KEY_REQUIRED }

/**
 * Adds the schemes to a specification. Operations require a key, unless their policy is `public` or `session`.
 *
 * Without this change, an operation whose middleware reads the key itself would look public: the generator writes
 * `security: []` for it.
 */
export const describeSecurity = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((specification: Record<string, unknown>) => Record<string, unknown>) => {
  const openOperations = operationsWithoutKey(api)
  return (specification) => ({
    ...specification,
    security: KEY_REQUIRED,
    components: { ...asRecord(specification["components"]), securitySchemes: { ...schemes, session } },
    paths: mapValues(specification["paths"], (item) =>
      mapValues(item, (operation) => {
        const { operationId } = asRecord(operation)
        const policy = typeof operationId === "string" ? openOperations.get(operationId) : undefined
        return { ...asRecord(operation), security: REQUIRED[policy ?? "key"] }
      })
    )
  })
}

/** Returns the operations that need no key, such as `health.readyz`, with their policy. */
const operationsWithoutKey = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyMap<string, "public" | "session"> => {
  const operations = new Map<string, "public" | "session">()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const policy = Option.getOrUndefined(Context.getOption(mergedAnnotations, EndpointPolicy))
      if (typeof policy === "string") operations.set(`${group.identifier}.${endpoint.identifier}`, policy)
    }
  })
  return operations
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const mapValues = (value: unknown, change: (member: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(asRecord(value)).map(([key, member]) => [key, change(member)]))
