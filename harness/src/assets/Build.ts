/**
 * Builds the programs of a control plane from the Go modules of the Kubernetes release.
 *
 * Nothing binary is downloaded: the module proxy's sources are checked against the go.sum files beside this package, and
 * compiled here. It is started only by the command `quarterdeck-assets build`, never by a test.
 *
 * @since 0.1.0
 */
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Effect, Option } from "effect"
import * as BuildLock from "./BuildLock.ts"
import { BuildError, DirectoryRefused } from "./BuildError.ts"
import * as GoToolchain from "./GoToolchain.ts"
import { cacheDirectory, find, KUBERNETES_VERSION, type ProgramName, PROGRAMS } from "./Programs.ts"

/** The modules lie beside `src` and `dist`, at the same distance from both. */
const MODULES = fileURLToPath(new URL("../../kubernetes/", import.meta.url))

const [, MAJOR, MINOR] = /^v(\d+)\.(\d+)\./.exec(KUBERNETES_VERSION) ?? []

/** The release's own build stamps these; without them the server calls itself v0.0.0. */
const STAMPS = [
  `k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
  `k8s.io/component-base/version.gitMajor=${MAJOR}`,
  `k8s.io/component-base/version.gitMinor=${MINOR}`,
  `k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES_VERSION}`
]
const LINKER_FLAGS = ["-s", "-w", ...STAMPS.flatMap((stamp) => ["-X", stamp])].join(" ")

const sourceOf = (program: ProgramName): { readonly module: string; readonly command: string } =>
  program === "etcd"
    ? { module: join(MODULES, "etcd"), command: "go.etcd.io/etcd/server/v3" }
    : { module: join(MODULES, "control-plane"), command: `k8s.io/kubernetes/cmd/${program}` }

/**
 * Builds the programs that are found nowhere, and gives their names.
 *
 * **Errors** `GoMissing`, `GoTooOld` before anything is done; `CompilationFailed` with the compiler's last line.
 *
 * **Limits** one build at a time on a machine; about 4 minutes and 4 GB of Go's caches from nothing, seconds with warm
 * caches. A program appears in the cache whole or not at all.
 *
 * @since 0.1.0
 */
export const build = (
  progress: (line: string) => Effect.Effect<void>
): Effect.Effect<ReadonlyArray<ProgramName>, BuildError> =>
  Effect.scoped(
    Effect.gen(function* () {
      if ((yield* missing).length === 0) return []
      const go = yield* GoToolchain.find
      const directory = yield* cacheDirectory
      yield* attempt("create the cache", () => mkdir(directory, { recursive: true }))
      yield* BuildLock.acquire(join(directory, ".building"), (owner) =>
        progress(`waiting for another build (process ${owner})`)
      )
      // The other build may have done it.
      const programs = yield* missing
      const output = yield* Effect.acquireRelease(
        attempt("create a directory to build in", () => mkdtemp(`${directory}.building-`)),
        (path) =>
          attempt("remove the directory built in", () => rm(path, { recursive: true, force: true })).pipe(Effect.orDie)
      )
      for (const [index, program] of programs.entries()) {
        const step = `[${index + 1}/${programs.length}]`
        yield* progress(
          `${step} building ${program} ${program === "etcd" ? "" : `${KUBERNETES_VERSION} `}with Go ${go}`
        )
        const started = yield* Clock.currentTimeMillis
        yield* compile(program, output, directory)
        const seconds = Math.round(((yield* Clock.currentTimeMillis) - started) / 1000)
        yield* progress(`${step} built ${program} in ${seconds} s`)
      }
      return programs
    })
  ).pipe(Effect.mapError((reason) => new BuildError({ reason })))

const compile = Effect.fnUntraced(function* (program: ProgramName, output: string, directory: string) {
  const built = join(output, program)
  yield* GoToolchain.compile({ program, ...sourceOf(program), output: built, linkerFlags: LINKER_FLAGS })
  yield* attempt(`put ${program} in its place`, async () => {
    await chmod(built, 0o755)
    await rename(built, join(directory, program))
  })
})

const missing: Effect.Effect<ReadonlyArray<ProgramName>> = Effect.filter(PROGRAMS, (program) =>
  Effect.map(find(program), Option.isNone)
)

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
