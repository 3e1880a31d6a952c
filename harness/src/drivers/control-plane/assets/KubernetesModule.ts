/**
 * Generates a Go module that builds the control plane of a release, from that release's go.mod.
 *
 * Kubernetes replaces the libraries of its own repository by directories that are not part of its module. A module that
 * requires Kubernetes must replace each library by its published version. The set of libraries differs between
 * releases.
 */
import { access, mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { DirectoryRefused, type GoMissing, type ModuleUnavailable } from "./BuildError.ts"
import * as GoToolchain from "./GoToolchain.ts"
import * as Version from "./Version.ts"

const MODULE = "k8s.io/kubernetes"

/** A line of a `replace` block, or a `require` of version v0.0.0, which only a replacement can provide. */
const STAGED = /^\s*(k8s\.io\/[a-z0-9-]+)\s+(?:=>\s+\.\/staging\/src\/\S+|v0\.0\.0(?:\s|$))/gm
const GO_LINE = /^go \S+$/m
const GODEBUG = /^godebug (?:\S+=\S+|\(\n(?:[^)]*\n)?\))$/gm

/** Returns the libraries of Kubernetes' own repository that its go.mod requires, sorted. */
export const stagedIn = (goMod: string): ReadonlyArray<string> =>
  [...new Set([...goMod.matchAll(STAGED)].map(([, name = ""]) => name))].toSorted()

/**
 * Returns the go.mod of a module that requires one release.
 *
 * Each library gets the release's version with major version 0: `v0.36.3` for `v1.36.3`. The release's Go version and
 * `godebug` settings are copied, because Go ignores these settings in a dependency.
 */
export const goModFor = (release: Version.Release, upstream: string): string => {
  const library = Version.print({ ...release, major: 0 })
  return [
    "module quarterdeck.internal/control-plane",
    "",
    GO_LINE.exec(upstream)?.[0] ?? "go 1.24.0",
    "",
    ...[...upstream.matchAll(GODEBUG)].flatMap(([block]) => [block, ""]),
    `require ${MODULE} ${Version.print(release)}`,
    "",
    "replace (",
    ...stagedIn(upstream).map((name) => `\t${name} => ${name} ${library}`),
    ")",
    ""
  ].join("\n")
}

/**
 * Creates the module of a release below `root` and returns its directory.
 *
 * **Limits** fetches the release through the module proxy, verified by the checksum database. The first build writes
 * go.sum, which fixes the bytes for later builds.
 */
export const make = Effect.fnUntraced(function* (
  root: string,
  release: Version.Release
): Effect.fn.Return<string, DirectoryRefused | GoMissing | ModuleUnavailable> {
  const directory = join(root, Version.print(release))
  // If go.mod exists, an earlier build has completed the module.
  if (yield* Effect.promise(() => exists(join(directory, "go.mod")))) return directory
  const upstream = yield* GoToolchain.goModOf(MODULE, Version.print(release))
  yield* Effect.tryPromise({
    try: async () => {
      await mkdir(directory, { recursive: true })
      const draft = join(directory, "go.mod.draft")
      await writeFile(draft, goModFor(release, upstream))
      await rename(draft, join(directory, "go.mod"))
    },
    catch: (cause) => new DirectoryRefused({ action: "write the module of a release", cause })
  })
  return directory
})

/** Returns the names of the releases that the module proxy has. */
export const releases: Effect.Effect<ReadonlyArray<string>, GoMissing | ModuleUnavailable> = GoToolchain.versionsOf(
  MODULE
)

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false
  )
