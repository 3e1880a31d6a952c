/** The programs of a real control plane, and their locations on this machine. */
import { constants } from "node:fs"
import { access, readdir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { setting } from "../../../machine/Machine.ts"
import * as Version from "./Version.ts"

/** The Kubernetes release that the harness builds and is tested with. */
export const KUBERNETES_VERSION = "v1.36.3"

/** The minor release of {@link KUBERNETES_VERSION}: `1.36`. */
export const KUBERNETES_MINOR = KUBERNETES_VERSION.replace(/^v(.+)\.\d+$/, "$1")

/** The programs of a control plane, in build order. */
export const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"] as const
/** Programs that only some tests need, built on request. */
export const OPTIONAL_PROGRAMS = ["helm"] as const
export type ProgramName = (typeof PROGRAMS)[number] | (typeof OPTIONAL_PROGRAMS)[number]

/**
 * Location of a program: an environment variable that names it or its directory, the cache, or the system directory.
 */
export type Origin = "TEST_ASSET" | "KUBEBUILDER_ASSETS" | "cache" | "/usr/local/kubebuilder/bin"

export interface FoundProgram {
  readonly name: ProgramName
  readonly path: string
  readonly origin: Origin
  /**
   * Release of the program's cache directory, `v1.36.3`. Absent for other locations, because there the release is unknown
   * until the program runs.
   */
  readonly version?: string
}

/** The cache directory of all releases: `${XDG_CACHE_HOME:-~/.cache}/quarterdeck/kubernetes`. */
export const cacheRoot: Effect.Effect<string> = Effect.gen(function* () {
  const cache = (yield* setting("XDG_CACHE_HOME")) ?? join((yield* setting("HOME")) ?? homedir(), ".cache")
  return join(cache, "quarterdeck", "kubernetes")
})

/** The cache directory of the harness's own release. */
export const cacheDirectory: Effect.Effect<string> = Effect.map(cacheRoot, (root) => join(root, KUBERNETES_VERSION))

/** Returns the releases with a directory in the cache, the newest first. */
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
 * `TEST_ASSET_KUBECTL` names, the directory that `KUBEBUILDER_ASSETS` names, the cache, `/usr/local/kubebuilder/bin`.
 * In the cache, the harness's own release comes first, then the newest other patch of its minor release.
 *
 * With a `version` (`1.33`, `v1.33.2`) it searches only the cache. A minor release means its newest cached patch with
 * the program. Returns None if the text is not a version.
 *
 * **Limits** checks only that the file is executable; does not run it.
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

/** Returns the command that builds missing programs, as the user would type it. */
export const buildCommand = (version?: string): string =>
  version === undefined ? BUILD_COMMAND : `${BUILD_COMMAND} ${version}`

/** Command that builds the harness's own release, in a checkout or with an installed package. */
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
    // A download may have another patch than a build; either works.
    ...(yield* placesOf(name, KUBERNETES_VERSION)),
    ...(yield* placesOf(name, KUBERNETES_MINOR)),
    { name, path: join(SYSTEM_DIRECTORY, name), origin: SYSTEM_DIRECTORY }
  ]
  return places
})

const placesOf = Effect.fnUntraced(function* (name: ProgramName, version: string) {
  const requested = Version.parse(version)
  if (Option.isNone(requested)) return []
  const root = yield* cacheRoot
  const releases = (yield* cachedVersions).filter((text) =>
    Option.exists(Version.parseRelease(text), (release) => Version.includes(requested.value, release))
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
