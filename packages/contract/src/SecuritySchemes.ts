/**
 * How the OpenAPI document says that a key is presented.
 *
 * @since 0.1.0
 */

const schemes = {
  bearer: { type: "http", scheme: "bearer", description: "An API key." },
  basic: { type: "http", scheme: "basic", description: "An API key as the password; the user name is not read." }
}

/** The paths that need no key. */
const PUBLIC_PATHS = new Set(["/healthz", "/readyz"])

/** Adds the schemes to a specification, and takes them off the public paths. */
export const describeSecurity = (specification: Record<string, unknown>): Record<string, unknown> => ({
  ...specification,
  security: [{ bearer: [] }, { basic: [] }],
  components: { ...asRecord(specification["components"]), securitySchemes: schemes },
  paths: Object.fromEntries(
    Object.entries(asRecord(specification["paths"])).map(([path, item]) => [
      path,
      PUBLIC_PATHS.has(path) ? open(item) : item
    ])
  )
})

/** Says of every operation of a path that it needs no key. */
const open = (item: unknown): unknown =>
  Object.fromEntries(
    Object.entries(asRecord(item)).map(([method, operation]) => [method, { ...asRecord(operation), security: [] }])
  )

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}
