/**
 * helm and kubectl, as the harness finds them, or demanded.
 *
 * A run leaves out the tests of a program that the machine lacks, unless `QUARTERDECK_REQUIRE` names it (separated by
 * commas: `helm,kubectl`): then they run, and fail.
 */
import * as Programs from "@quarterdeck/harness/Programs"
import { Config, Effect, Option, type Scope } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const VARIABLE = "QUARTERDECK_REQUIRE"

type Name = "helm" | "kubectl"

/** Where a program is, none when its tests are left out; one that is demanded and missing is found by nobody who runs it. */
const programNamed = Effect.fnUntraced(function* (name: Name) {
  const found = Option.map(yield* Programs.find(name), ({ path }) => path)
  const list = yield* Config.String(VARIABLE).pipe(Config.withDefault(""))
  const required = new Set(list.split(",").map((one) => one.trim()))
  return Option.orElse(found, () => (required.has(name) ? Option.some<string>(name) : Option.none()))
})

const paths: Readonly<Record<Name, Option.Option<string>>> = {
  helm: await Effect.runPromise(programNamed("helm")),
  kubectl: await Effect.runPromise(programNamed("kubectl"))
}

/** The programs of a run's tests, none where one of them is left out: what a loop registers tests for. */
export const available = (...names: ReadonlyArray<Name>): ReadonlyArray<string> => {
  const found = names.flatMap((name) => Option.toArray(paths[name]))
  return found.length === names.length ? [names.join(" and ")] : []
}

/** Adds a test that says so, where the tests of a program are left out. */
export const sayIfLeftOut = (
  it: { readonly effect: (name: string, test: () => Effect.Effect<void>) => void },
  name: Name
): void => {
  if (Option.isSome(paths[name])) return
  const remedy = `run \`npx pnpm@12 assets build --with helm\`, which needs Go, or set TEST_ASSET_${name.toUpperCase()}`
  it.effect(`is left out: there is no ${name}; ${remedy}`, () => Effect.void)
}

/** How a program ended. */
export interface Ended {
  readonly status: number | string
  readonly stdout: string
  readonly stderr: string
}

const HOME = await mkdtemp(join(tmpdir(), "quarterdeck-helm-home-"))
process.once("exit", () => void rm(HOME, { recursive: true, force: true }))

/** Runs a program to its end; of the test's own environment nothing reaches it. */
export const run = (name: Name, args: ReadonlyArray<string>, stdin = ""): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const path = Option.getOrElse(paths[name], () => name)
    const child = execFile(
      path,
      args,
      { cwd: HOME, env: { HOME }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ status: error === null ? 0 : (error.code ?? "signal"), stdout, stderr }))
    )
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(stdin)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Runs a program that should succeed, and gives what it printed. */
export const succeed = (name: Name, args: ReadonlyArray<string>, stdin = ""): Effect.Effect<string> =>
  Effect.flatMap(run(name, args, stdin), ({ status, stderr, stdout }) =>
    status === 0 ? Effect.succeed(stdout) : Effect.die(new Error(`${name} ${args.join(" ")}: ${stderr}`))
  )

/** A directory that is gone after the test. */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-helm-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
)

/** Writes a file that only the test reads. */
export const write = (path: string, text: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    await writeFile(path, text, { mode: 0o600 })
    return path
  })
