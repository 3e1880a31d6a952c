/**
 * The packages that only the driver k3s needs: they are optional, so they are looked for and loaded when it is asked for.
 */
import { findPackageJSON } from "node:module"
import { Effect, Option } from "effect"

const NAMES = ["testcontainers", "@testcontainers/k3s"] as const

/** What would bring the packages; none when they are there. **Limits** looks for files and loads none. */
export const remedy: Effect.Effect<Option.Option<string>> = Effect.sync(() => {
  const absent = NAMES.filter((name) => !isThere(name))
  if (absent.length === 0) return Option.none()
  return Option.some(`install its packages by \`pnpm add -D ${NAMES.join(" ")}\`; missing: ${absent.join(", ")}`)
})

/** Loads the client of the container engine. */
export const engine = async () => {
  const { getContainerRuntimeClient } = await import("testcontainers")
  return await getContainerRuntimeClient()
}

/** By the package's own description: `import.meta.resolve` is not there where a program runs modules its own way, as vitest. */
const isThere = (name: string): boolean => {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return false
    throw cause
  }
}
