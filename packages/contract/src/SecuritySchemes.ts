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

/** What the pages of the server use: programs send keys. */
const session = {
  type: "apiKey",
  in: "cookie",
  name: "qd_session",
  description: "A signed-in browser of the server's own pages; over HTTPS the cookie is __Host-qd_session."
}

/** Either scheme will do. */
const KEY_REQUIRED = Object.keys(schemes).map((name) => ({ [name]: [] }))

const REQUIRED = { public: [], session: [{ session: [] }], key: KEY_REQUIRED }

/**
 * Adds the schemes to a specification: every operation asks for a key, but for those that are public or ask for a session.
 *
 * The generator says `security: []` of an operation whose middleware reads the key itself, which would mean that it is
 * open to all.
 */
export const describeSecurity = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ((specification: Record<string, unknown>) => Record<string, unknown>) => {
  const askedOf = credentialsAsked(api)
  return (specification) => ({
    ...specification,
    security: KEY_REQUIRED,
    components: { ...asRecord(specification["components"]), securitySchemes: { ...schemes, session } },
    paths: mapValues(specification["paths"], (item) =>
      mapValues(item, (operation) => {
        const { operationId } = asRecord(operation)
        const asked = typeof operationId === "string" ? askedOf.get(operationId) : undefined
        return { ...asRecord(operation), security: REQUIRED[asked ?? "key"] }
      })
    )
  })
}

/** Tells of operations such as `health.readyz` what they ask for; a key where nothing is told. */
const credentialsAsked = <Id extends string, Groups extends HttpApiGroup.Constraint>(
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
