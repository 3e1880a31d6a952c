/**
 * The programs of a real control plane, and where they are found on this machine.
 *
 * @since 0.1.0
 */
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { setting } from "../internal/Machine.ts"

/** The Kubernetes that the harness builds and is tested with. */
export const KUBERNETES_VERSION = "v1.36.3"

export const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"] as const
export type ProgramName = (typeof PROGRAMS)[number]

export interface FoundProgram {
  readonly name: ProgramName
  readonly path: string
  /** Which place had it: the directory that the user named, or the one that the build fills. */
  readonly origin: "KUBEBUILDER_ASSETS" | "cache"
}

/** The directory that the build fills: `${XDG_CACHE_HOME:-~/.cache}/quarterdeck/kubernetes/<version>`. */
export const cacheDirectory: Effect.Effect<string> = Effect.gen(function* () {
  const cache = (yield* setting("XDG_CACHE_HOME")) ?? join((yield* setting("HOME")) ?? homedir(), ".cache")
  return join(cache, "quarterdeck", "kubernetes", KUBERNETES_VERSION)
})

/**
 * Finds a program: first in the directory that `KUBEBUILDER_ASSETS` names, then in the cache.
 *
 * **Limits** looks for an executable file; it is not run.
 *
 * @since 0.1.0
 */
export const find = Effect.fnUntraced(function* (name: ProgramName): Effect.fn.Return<Option.Option<FoundProgram>> {
  const assets = yield* setting("KUBEBUILDER_ASSETS")
  const places: Array<FoundProgram> = [{ name, path: join(yield* cacheDirectory, name), origin: "cache" }]
  if (assets !== undefined) places.unshift({ name, path: join(assets, name), origin: "KUBEBUILDER_ASSETS" })
  for (const place of places) {
    if (yield* isExecutable(place.path)) return Option.some(place)
  }
  return Option.none()
})

/**
 * The command that builds what is missing, as the user would type it: from a checkout, or from an installed package.
 */
export const BUILD_COMMAND = import.meta.url.endsWith(".ts")
  ? "npx pnpm@12 assets build"
  : "npx quarterdeck-assets build"

const isExecutable = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    access(path, constants.X_OK).then(
      () => true,
      () => false
    )
  )
