/** The programs of a real control plane, and where they are found on this machine. */
import { constants } from "node:fs"
import { access, readdir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { setting } from "../../../machine/Machine.ts"
import * as Version from "./Version.ts"

/** The Kubernetes that the harness builds and is tested with. */
export const KUBERNETES_VERSION = "v1.36.3"

/** Its minor release, `1.36`. */
export const KUBERNETES_MINOR = KUBERNETES_VERSION.replace(/^v(.+)\.\d+$/, "$1")

/** What makes a control plane, in the order in which it is built. */
export const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"] as const
/** What only some tests use, and a build makes when it is asked to. */
export const OPTIONAL_PROGRAMS = ["helm"] as const
export type ProgramName = (typeof PROGRAMS)[number] | (typeof OPTIONAL_PROGRAMS)[number]

/** Which place had a program: a variable that names it or its directory, the cache, or the system's directory. */
export type Origin = "TEST_ASSET" | "KUBEBUILDER_ASSETS" | "cache" | "/usr/local/kubebuilder/bin"

export interface FoundProgram {
  readonly name: ProgramName
  readonly path: string
  readonly origin: Origin
  /** The release whose directory in the cache it lies in, `v1.36.3`; what other places hold only running it would say. */
  readonly version?: string
}

/** The directory of all releases: `${XDG_CACHE_HOME:-~/.cache}/quarterdeck/kubernetes`. */
export const cacheRoot: Effect.Effect<string> = Effect.gen(function* () {
  const cache = (yield* setting("XDG_CACHE_HOME")) ?? join((yield* setting("HOME")) ?? homedir(), ".cache")
  return join(cache, "quarterdeck", "kubernetes")
})

/** The directory that builds and downloads of one release fill; the harness's own release unless another is given. */
export const cacheDirectory: Effect.Effect<string> = Effect.map(cacheRoot, (root) => join(root, KUBERNETES_VERSION))

/** The releases that have a directory in the cache, the newest first. */
export const cachedVersions: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function* () {
  const root = yield* cacheRoot
  const names = yield* Effect.promise(() => readdir(root).catch((): Array<string> => []))
  return names
    .flatMap((name) => Option.toArray(Version.parseRelease(name)))
    .toSorted(Version.compare)
    .toReversed()
    .map(Version.print)
})

/**
 * Finds a program, in envtest's order: the file that `TEST_ASSET_ETCD`, `TEST_ASSET_KUBE_APISERVER` or
 * `TEST_ASSET_KUBECTL` names, the directory that `KUBEBUILDER_ASSETS` names, the cache, `/usr/local/kubebuilder/bin`. The
 * cache gives the harness's own release, else the newest other patch of its minor release.
 *
 * With a `version` (`1.33`, `v1.33.2`) it is looked for in the cache alone: a minor release means its newest
 * patch there that has the program. None when the text is no version.
 *
 * **Limits** looks for an executable file; it is not run.
 *
 * **Source** controller-runtime, `pkg/internal/testing/process/bin_path_finder.go`.
 */
export const find = Effect.fnUntraced(function* (
  name: ProgramName,
  version?: string
): Effect.fn.Return<Option.Option<FoundProgram>> {
  const places = version === undefined ? yield* usualPlaces(name) : yield* placesOf(name, version)
  for (const place of places) {
    if (yield* isExecutable(place.path)) return Option.some(place)
  }
  return Option.none()
})

/** Says how the user would bring programs that are missing, as they would type it. */
export const buildCommand = (version?: string): string =>
  version === undefined ? BUILD_COMMAND : `${BUILD_COMMAND} ${version}`

/**
 * The command that builds what is missing, as the user would type it: from a checkout, or from an installed package.
 */
export const BUILD_COMMAND = import.meta.url.endsWith(".ts")
  ? "npx pnpm@12 assets build"
  : "npx @quarterdeck/harness assets build"

const SYSTEM_DIRECTORY = "/usr/local/kubebuilder/bin"

const usualPlaces = Effect.fnUntraced(function* (name: ProgramName) {
  const file = yield* setting(`TEST_ASSET_${name.toUpperCase().replaceAll("-", "_")}`)
  const assets = yield* setting("KUBEBUILDER_ASSETS")
  const places: ReadonlyArray<FoundProgram> = [
    ...(file === undefined ? [] : [{ name, path: file, origin: "TEST_ASSET" as const }]),
    ...(assets === undefined ? [] : [{ name, path: join(assets, name), origin: "KUBEBUILDER_ASSETS" as const }]),
    // Downloads may have another patch than builds, and do as well.
    ...(yield* placesOf(name, KUBERNETES_VERSION)),
    ...(yield* placesOf(name, KUBERNETES_MINOR)),
    { name, path: join(SYSTEM_DIRECTORY, name), origin: SYSTEM_DIRECTORY }
  ]
  return places
})

const placesOf = Effect.fnUntraced(function* (name: ProgramName, version: string) {
  const asked = Version.parse(version)
  if (Option.isNone(asked)) return []
  const root = yield* cacheRoot
  const releases = (yield* cachedVersions).filter((text) =>
    Option.exists(Version.parseRelease(text), (release) => Version.includes(asked.value, release))
  )
  return releases.map((release): FoundProgram => ({
    name,
    path: join(root, release, name),
    origin: "cache",
    version: release
  }))
})

const isExecutable = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    access(path, constants.X_OK).then(
      () => true,
      () => false
    )
  )
