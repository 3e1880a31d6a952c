/** The optional packages of the driver k3s. They are located and loaded only when needed. */
import { findPackageJSON } from "node:module"
import { Effect, Option } from "effect"

const NAMES = ["testcontainers", "@testcontainers/k3s"] as const

/** Returns how to install the packages, or None if they are present. **Limits** looks for files and loads none. */
export const remedy: Effect.Effect<Option.Option<string>> = Effect.sync(() => {
  const absent = NAMES.filter((name) => !isThere(name))
  if (absent.length === 0) return Option.none()
  return Option.some(`install its packages with \`pnpm add -D ${NAMES.join(" ")}\`; missing: ${absent.join(", ")}`)
})

/** Loads the client of the container engine. */
export const engine = async () => {
  const { getContainerRuntimeClient } = await import("testcontainers")
  return await getContainerRuntimeClient()
}

/**
 * Looks for the package's package.json: `import.meta.resolve` is missing in programs that load modules themselves, such
 * as vitest.
 */
const isThere = (name: string): boolean => {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return false
    throw cause
  }
}
