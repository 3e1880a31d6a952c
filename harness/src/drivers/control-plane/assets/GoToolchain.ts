/** The Go compiler of this machine. */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { Effect, Option, Result, Schema } from "effect"
import { CompilationFailed, GoMissing, GoTooOld, ModuleUnavailable } from "./BuildError.ts"

/** What the go.mod files ask for. */
const GO_NEEDED = "1.26"
const VERSION = /\bgo(\d+)\.(\d+)/

/** Reads what `go version` prints. **Errors** `GoTooOld` also when it prints something else. */
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

/** Finds the compiler on the PATH. **Errors** `GoMissing`, `GoTooOld`. */
export const find: Effect.Effect<string, GoMissing | GoTooOld> = run("go", ["version"], ".").pipe(
  Effect.mapError(() => new GoMissing({ needed: GO_NEEDED })),
  Effect.flatMap(({ output }) => Effect.fromResult(checkVersion(output)))
)

/**
 * Compiles a command of one module into a file.
 *
 * A `pinned` module's go.mod and go.sum say every version and checksum, and nothing may change them; another
 * one's are completed on the way, as the checksum database allows.
 */
export const compile = (options: {
  readonly program: string
  readonly module: string
  readonly pinned: boolean
  readonly command: string
  readonly output: string
  readonly linkerFlags: string
}): Effect.Effect<void, CompilationFailed | GoMissing> =>
  // The compiler needs the user's PATH, caches and proxies as they are; without cgo it needs no C compiler, and the
  // programs run wherever they are copied. What a debugger would read is not even compiled: the linker would leave it out,
  // and without it a build takes a fifth less.
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

/** Lists the versions of a module that the module proxy has, the oldest first. */
export const versionsOf = (module: string): Effect.Effect<ReadonlyArray<string>, GoMissing | ModuleUnavailable> =>
  // The first word is the module's name.
  Effect.map(ask(module, ["list", "-m", "-versions", module]), ({ printed }) => printed.trim().split(/\s+/).slice(1))

const Downloaded = Schema.fromJsonString(Schema.Struct({ GoMod: Schema.String }))

/** Fetches a version of a module and gives its go.mod. */
export const goModOf = Effect.fnUntraced(function* (
  module: string,
  version: string
): Effect.fn.Return<string, GoMissing | ModuleUnavailable> {
  const name = `${module}@${version}`
  const unavailable = (lastLine: string) => new ModuleUnavailable({ module: name, lastLine })
  const { printed } = yield* ask(name, ["mod", "download", "-json", name])
  const place = Schema.decodeUnknownOption(Downloaded)(printed)
  if (Option.isNone(place)) return yield* unavailable("it does not say where it put go.mod")
  return yield* Effect.tryPromise({
    try: () => readFile(place.value.GoMod, "utf8"),
    catch: (cause) => unavailable(String(cause))
  })
})

const ask = Effect.fnUntraced(function* (module: string, args: ReadonlyArray<string>) {
  // Outside every module: nothing that lies around decides what is answered.
  const ended = yield* run("env", ["GOFLAGS=", "GOWORK=off", "go", ...args], "/").pipe(
    Effect.mapError(() => new GoMissing({ needed: GO_NEEDED }))
  )
  if (ended.code !== 0) return yield* new ModuleUnavailable({ module, lastLine: lastLineOf(ended) })
  return ended
})

const lastLineOf = ({ code, output }: Ended): string => output.trim().split("\n").at(-1) || `exit status ${code}`

interface Ended {
  readonly code: number | null
  /** The end of both streams. */
  readonly output: string
  /** The end of standard output alone. */
  readonly printed: string
}

const KEPT_CHARACTERS = 64 * 1024

/** Runs a command to its end; interruption ends it. **Errors** when it cannot be started. */
function run(command: string, args: ReadonlyArray<string>, cwd: string): Effect.Effect<Ended, Error> {
  return Effect.callback((resume) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let printed = ""
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-KEPT_CHARACTERS)
    }
    child.stdout.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString("utf8")).slice(-KEPT_CHARACTERS)
      collect(chunk)
    })
    child.stderr.on("data", collect)
    child.once("error", (cause) => resume(Effect.fail(cause)))
    child.once("close", (code) => resume(Effect.succeed({ code, output, printed })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })
}
