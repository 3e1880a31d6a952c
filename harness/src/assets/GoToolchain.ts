/**
 * The Go compiler of this machine.
 *
 * @since 0.1.0
 */
import { spawn } from "node:child_process"
import { Effect, Result } from "effect"
import { CompilationFailed, GoMissing, GoTooOld } from "./BuildError.ts"

/** What the go.mod files ask for. */
export const GO_NEEDED = "1.26"
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
 * Compiles commands of one module into a directory.
 *
 * **Limits** modules are fetched at the versions and checksums of go.mod and go.sum, and nothing may change them.
 */
export const compile = (options: {
  readonly program: string
  readonly module: string
  readonly command: string
  readonly output: string
  readonly linkerFlags: string
}): Effect.Effect<void, CompilationFailed | GoMissing> =>
  // The compiler needs the user's PATH, caches and proxies as they are; without cgo it needs no C compiler, and the
  // programs run wherever they are copied.
  run(
    "env",
    [
      ...["CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "go", "build", "-trimpath"],
      ...["-ldflags", options.linkerFlags, "-o", options.output, options.command]
    ],
    options.module
  ).pipe(
    Effect.mapError(() => new GoMissing({ needed: GO_NEEDED })),
    Effect.flatMap(({ code, output }) => {
      const lastLine = output.trim().split("\n").at(-1) ?? ""
      return code === 0
        ? Effect.void
        : Effect.fail(new CompilationFailed({ program: options.program, lastLine: lastLine || `exit status ${code}` }))
    })
  )

interface Ended {
  readonly code: number | null
  readonly output: string
}

const KEPT_CHARACTERS = 64 * 1024

/** Runs a command to its end; interruption ends it. **Errors** when it cannot be started. */
function run(command: string, args: ReadonlyArray<string>, cwd: string): Effect.Effect<Ended, Error> {
  return Effect.callback((resume) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-KEPT_CHARACTERS)
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("error", (cause) => resume(Effect.fail(cause)))
    child.once("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })
}
