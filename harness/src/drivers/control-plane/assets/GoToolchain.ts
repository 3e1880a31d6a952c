/** The Go compiler on this machine. */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { Effect, Option, Result, Schema } from "effect"
import { CompilationFailed, GoMissing, GoTooOld, ModuleUnavailable } from "./BuildError.ts"

/** The version that the go.mod files require. */
const GO_NEEDED = "1.26"
const VERSION = /\bgo(\d+)\.(\d+)/

/** Parses the output of `go version`. **Errors** `GoTooOld`, also for unexpected output. */
export const checkVersion = (printed: string): Result.Result<string, GoTooOld> => {
  const [, major, minor] = VERSION.exec(printed) ?? []
  const [neededMajor = 0, neededMinor = 0] = GO_NEEDED.split(".").map(Number)
  const enough = Number(major) > neededMajor || (Number(major) === neededMajor && Number(minor) >= neededMinor)
  return enough
    ? Result.succeed(`${major}.${minor}`)
    : Result.fail(
        new GoTooOld({ found: major === undefined ? "of unknown version" : `${major}.${minor}`, needed: GO_NEEDED })
      )
}

/** Returns the version of the compiler on the PATH. **Errors** `GoMissing`, `GoTooOld`. */
export const find: Effect.Effect<string, GoMissing | GoTooOld> = run("go", ["version"], ".").pipe(
  Effect.mapError(() => new GoMissing({ needed: GO_NEEDED })),
  Effect.flatMap(({ output }) => Effect.fromResult(checkVersion(output)))
)

/**
 * Compiles a command of a module into a file.
 *
 * The go.mod and go.sum of a `pinned` module fix every version and checksum and must not change. The files of any other
 * module are completed during the build, verified by the checksum database.
 */
export const compile = (options: {
  readonly program: string
  readonly module: string
  readonly pinned: boolean
  readonly command: string
  readonly output: string
  readonly linkerFlags: string
}): Effect.Effect<void, CompilationFailed | GoMissing> =>
  // The compiler needs the user's PATH, caches and proxies. Without cgo it needs no C compiler, and the programs run
  // wherever they are copied. Without DWARF data, which the linker would strip, a build takes a fifth less time.
  run(
    "env",
    [
      ...["CGO_ENABLED=0", `GOFLAGS=-mod=${options.pinned ? "readonly" : "mod"}`, "go", "build", "-trimpath"],
      ...["-gcflags=all=-dwarf=false", "-ldflags", options.linkerFlags, "-o", options.output, options.command]
    ],
    options.module
  ).pipe(
    Effect.mapError(() => new GoMissing({ needed: GO_NEEDED })),
    Effect.flatMap((ended) =>
      ended.code === 0
        ? Effect.void
        : Effect.fail(new CompilationFailed({ program: options.program, lastLine: lastLineOf(ended) }))
    )
  )

/** Returns the versions of a module that the module proxy has, the oldest first. */
export const versionsOf = (module: string): Effect.Effect<ReadonlyArray<string>, GoMissing | ModuleUnavailable> =>
  // The first word of the output is the module's name.
  Effect.map(query(module, ["list", "-m", "-versions", module]), ({ printed }) => printed.trim().split(/\s+/).slice(1))

const Downloaded = Schema.fromJsonString(Schema.Struct({ GoMod: Schema.String }))

/** Downloads a version of a module and returns its go.mod. */
export const goModOf = Effect.fnUntraced(function* (
  module: string,
  version: string
): Effect.fn.Return<string, GoMissing | ModuleUnavailable> {
  const name = `${module}@${version}`
  const unavailable = (lastLine: string) => new ModuleUnavailable({ module: name, lastLine })
  const { printed } = yield* query(name, ["mod", "download", "-json", name])
  const place = Schema.decodeUnknownOption(Downloaded)(printed)
  if (Option.isNone(place)) return yield* unavailable("its output has no path of go.mod")
  return yield* Effect.tryPromise({
    try: () => readFile(place.value.GoMod, "utf8"),
    catch: (cause) => unavailable(String(cause))
  })
})

const query = Effect.fnUntraced(function* (module: string, args: ReadonlyArray<string>) {
  // Runs outside of any module, so that surrounding go.mod and go.work files have no effect.
  const ended = yield* run("env", ["GOFLAGS=", "GOWORK=off", "go", ...args], "/").pipe(
    Effect.mapError(() => new GoMissing({ needed: GO_NEEDED }))
  )
  if (ended.code !== 0) return yield* new ModuleUnavailable({ module, lastLine: lastLineOf(ended) })
  return ended
})

const lastLineOf = ({ code, output }: Ended): string => output.trim().split("\n").at(-1) || `exit status ${code}`

interface Ended {
  readonly code: number | null
  /** The end of the text on standard output and standard error. */
  readonly output: string
  /** The end of standard output. */
  readonly printed: string
}

const MAX_CHARACTERS = 64 * 1024

/** Runs a command to its end. Interruption ends it. **Errors** if it cannot be started. */
function run(command: string, args: ReadonlyArray<string>, cwd: string): Effect.Effect<Ended, Error> {
  return Effect.callback((resume) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let printed = ""
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-MAX_CHARACTERS)
    }
    child.stdout.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString("utf8")).slice(-MAX_CHARACTERS)
      collect(chunk)
    })
    child.stderr.on("data", collect)
    child.once("error", (cause) => resume(Effect.fail(cause)))
    child.once("close", (code) => resume(Effect.succeed({ code, output, printed })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })
}
