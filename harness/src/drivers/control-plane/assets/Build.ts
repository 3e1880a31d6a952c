/**
 * Builds the programs of a control plane from the Go modules of a Kubernetes release.
 *
 * It downloads no binaries: it compiles the module proxy's sources, verified against go.sum files. The modules of the
 * harness's own release are part of this package. Only the command `harness assets build` starts a build, never a test.
 */
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Effect, Option } from "effect"
import * as Owner from "../../../machine/Owner.ts"
import * as BuildLock from "./BuildLock.ts"
import { BuildError, DirectoryRefused, NoSuchRelease } from "./BuildError.ts"
import * as GoToolchain from "./GoToolchain.ts"
import * as KubernetesModule from "./KubernetesModule.ts"
import { cacheRoot, find, KUBERNETES_VERSION, type OPTIONAL_PROGRAMS, type ProgramName, PROGRAMS } from "./Programs.ts"
import * as Version from "./Version.ts"

/** Directory of the modules, a sibling of `src` and `dist`. The relative path is the same from both. */
const MODULES = fileURLToPath(new URL("../../../../kubernetes/", import.meta.url))

/** Directory for generated modules of other releases, beside the releases' programs. */
const GENERATED = "modules"
/** Maximum number of releases that an error lists. */
const NAMED_RELEASES = 8

export interface BuildOptions {
  /** `1.33` means its newest patch (default: the harness's own release). */
  readonly version?: string
  /** Additional programs (default none). */
  readonly extra?: ReadonlyArray<(typeof OPTIONAL_PROGRAMS)[number]>
}

export interface Built {
  /** The release: `v1.36.3`. */
  readonly version: string
  readonly programs: ReadonlyArray<ProgramName>
}

/** Parameters of one build. */
interface Order {
  readonly release: Version.Release
  readonly wanted: ReadonlyArray<ProgramName>
  /** Looks only in the release's cache directory, because programs in other places may be of another release. */
  readonly strict: boolean
  readonly root: string
}

/**
 * Builds the programs that are missing and returns their names.
 *
 * **Errors** `GoMissing`, `GoTooOld` or `NoSuchRelease` before the build starts; `CompilationFailed` with the
 * compiler's last line.
 *
 * **Limits** one build of a release at a time per machine. The first build takes about 4 minutes and 4 GB of Go's
 * caches, later ones seconds. Programs appear in the cache atomically.
 */
export const build = (
  progress: (line: string) => Effect.Effect<void>,
  options: BuildOptions = {}
): Effect.Effect<Built, BuildError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const order: Order = {
        release: yield* releaseOf(options.version ?? KUBERNETES_VERSION),
        wanted: [...PROGRAMS, ...(options.extra ?? [])],
        strict: options.version !== undefined,
        root: yield* cacheRoot
      }
      const version = Version.print(order.release)
      if ((yield* missing(order)).length === 0) return { version, programs: [] }
      const go = yield* GoToolchain.find
      const directory = join(order.root, version)
      yield* attempt("create the cache", () => mkdir(directory, { recursive: true }))
      yield* BuildLock.acquire(join(directory, ".building"), (owner) =>
        progress(`waiting for another build (process ${owner})`)
      )
      // While this build waited for the lock, another build may have built some of the programs.
      const programs = yield* missing(order)
      const owner = Owner.print(yield* attempt("identify this process", () => Owner.self()))
      const output = yield* Effect.acquireRelease(
        attempt("create a build directory", () => mkdtemp(`${directory}.building-${owner}-`)),
        (path) =>
          attempt("remove the build directory", () => rm(path, { recursive: true, force: true })).pipe(Effect.orDie)
      )
      for (const [index, program] of programs.entries()) {
        const step = `[${index + 1}/${programs.length}]`
        const what = program.startsWith("kube") ? `${program} ${version}` : program
        yield* progress(`${step} building ${what} with Go ${go}`)
        const started = yield* Clock.currentTimeMillis
        yield* compile(program, order, output)
        const seconds = Math.round(((yield* Clock.currentTimeMillis) - started) / 1000)
        yield* progress(`${step} built ${program} in ${seconds} s`)
      }
      return { version, programs }
    })
  ).pipe(Effect.mapError((reason) => new BuildError({ reason })))

/** Returns the release to build. Queries the module proxy only if the text names no patch. */
const releaseOf = Effect.fnUntraced(function* (text: string) {
  const requested = Version.parse(text)
  if (Option.isNone(requested)) return yield* new NoSuchRelease({ version: text, available: [] })
  if (Version.isRelease(requested.value)) return requested.value
  yield* GoToolchain.find
  const known = yield* KubernetesModule.releases
  const newest = Version.newest(requested.value, known)
  if (Option.isSome(newest)) return newest.value
  const releases = known.filter((name) => Option.isSome(Version.parseRelease(name)))
  return yield* new NoSuchRelease({ version: text, available: releases.toReversed().slice(0, NAMED_RELEASES) })
})

const compile = Effect.fnUntraced(function* (program: ProgramName, order: Order, output: string) {
  const built = join(output, program)
  yield* GoToolchain.compile({
    program,
    ...(yield* sourceOf(program, order)),
    output: built,
    linkerFlags: linkerFlagsOf(program, order.release)
  })
  yield* attempt(`move ${program} into the cache`, async () => {
    await chmod(built, 0o755)
    await rename(built, join(order.root, Version.print(order.release), program))
  })
})

const sourceOf = Effect.fnUntraced(function* (program: ProgramName, { release, root }: Order) {
  if (program === "etcd") return { module: join(MODULES, "etcd"), pinned: true, command: "go.etcd.io/etcd/server/v3" }
  if (program === "helm") return { module: join(MODULES, "helm"), pinned: true, command: "helm.sh/helm/v4/cmd/helm" }
  const command = `k8s.io/kubernetes/cmd/${program}`
  if (Version.print(release) === KUBERNETES_VERSION) {
    return { module: join(MODULES, "control-plane"), pinned: true, command }
  }
  return { module: yield* KubernetesModule.make(join(root, GENERATED), release), pinned: false, command }
})

/** Version stamps of an official build. Without them the server reports v0.0.0. */
const linkerFlagsOf = (program: ProgramName, release: Version.Release): string => {
  const version = Version.print(release)
  const stamps = [
    `k8s.io/component-base/version.gitVersion=${version}`,
    `k8s.io/component-base/version.gitMajor=${release.major}`,
    `k8s.io/component-base/version.gitMinor=${release.minor}`,
    `k8s.io/client-go/pkg/version.gitVersion=${version}`
  ]
  return ["-s", "-w", ...(program === "helm" ? [] : stamps.flatMap((stamp) => ["-X", stamp]))].join(" ")
}

/**
 * Returns the programs to build. Programs that the user provides count as present unless a release was requested.
 * Programs in the system directory never count as present.
 */
const missing = ({ release, strict, wanted }: Order): Effect.Effect<ReadonlyArray<ProgramName>> =>
  Effect.filter(wanted, (program) =>
    Effect.map(find(program, strict ? Version.print(release) : undefined), (place) =>
      Option.match(place, {
        onNone: () => true,
        onSome: ({ origin, version }) =>
          origin === "/usr/local/kubebuilder/bin" || (origin === "cache" && version !== Version.print(release))
      })
    )
  )

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
