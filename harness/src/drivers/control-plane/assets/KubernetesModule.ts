/**
 * A Go module that builds the control plane of any release, made from what that release says of itself.
 *
 * Kubernetes replaces the libraries of its own repository by directories that are not part of its module, so a module
 * that requires it has to replace each of them by the library's published version. Which ones there are differs from
 * release to release.
 */
import { access, mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { DirectoryRefused, type GoMissing, type ModuleUnavailable } from "./BuildError.ts"
import * as GoToolchain from "./GoToolchain.ts"
import * as Version from "./Version.ts"

const MODULE = "k8s.io/kubernetes"

/** A line of a `replace` block, or a `require` of what only a replacement can bring. */
const STAGED = /^\s*(k8s\.io\/[a-z0-9-]+)\s+(?:=>\s+\.\/staging\/src\/\S+|v0\.0\.0(?:\s|$))/gm
const GO_LINE = /^go \S+$/m
const GODEBUG = /^godebug (?:\S+=\S+|\(\n(?:[^)]*\n)?\))$/gm

/** Names the libraries of Kubernetes' own repository that its go.mod asks for, in order. */
export const stagedIn = (goMod: string): ReadonlyArray<string> =>
  [...new Set([...goMod.matchAll(STAGED)].map(([, name = ""]) => name))].toSorted()

/**
 * Writes the go.mod of a module that requires one release.
 *
 * A library's version is the release's with major 0; the release's own Go version and runtime settings are
 * kept, for those of a dependency do not count.
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
 * Makes the module of a release below `root` and gives its directory.
 *
 * **Limits** fetches the release through the module proxy; the checksum database proves it, and go.sum, which the first
 * build writes, holds every later one to the same bytes.
 */
export const make = Effect.fnUntraced(function* (
  root: string,
  release: Version.Release
): Effect.fn.Return<string, DirectoryRefused | GoMissing | ModuleUnavailable> {
  const directory = join(root, Version.print(release))
  // One that is there has been completed by a build.
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

/** Lists the releases that the module proxy has, as it names them. */
export const releases: Effect.Effect<ReadonlyArray<string>, GoMissing | ModuleUnavailable> = GoToolchain.versionsOf(
  MODULE
)

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false
  )
