/** A ClickHouse server for tests: one that is named, or the engine of `chdb` behind HTTP. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, vi } from "vitest"
import { layerClickHouse } from "../../../src/store/ClickHouse.ts"
import { find, REMEDY } from "./Found.ts"

/** The engine answers one statement at a time, and some checks close hundreds of hours. */
const TEST_TIMEOUT_MS = 120_000

const found = await Effect.runPromise(find)

const PASSWORD = "p@ss/w0rd"

/** Starts the engine, for as long as the scope lives, and gives its address. */
const engine = Effect.gen(function* () {
  const { chdb, given } = found
  if (given !== undefined) return new URL(given)
  if (chdb === undefined) return yield* Effect.die(new Error(`QUARTERDECK_REQUIRE names clickhouse, but ${REMEDY}`))
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-clickhouse-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const port = yield* started([chdb, directory, PASSWORD])
  return new URL(`http://default:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/`)
})

const started = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [fileURLToPath(new URL("./Engine.ts", import.meta.url)), ...args], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<number>((resume) => {
        let printed = ""
        child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          printed += chunk
          if (printed.includes("\n")) resume(Effect.succeed(Number(printed)))
        })
        child.once("exit", (code) => resume(Effect.die(new Error(`the engine ended with code ${code}`))))
      })
    )
  )

/** A statement of one's own. */
export const ask = (url: URL, sql: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { origin, password, pathname, username } = url
    const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")
    const database = pathname.slice(1) || "default"
    const reply = await fetch(`${origin}/?database=${database}&mutations_sync=1`, {
      method: "POST",
      body: sql,
      headers: { authorization: `Basic ${user}` }
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(text)
    return text.trimEnd()
  })

/** The address of a database that nobody has used, and that ends with the scope. */
const database = (server: URL) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const name = `test_${randomUUID().replaceAll("-", "")}`
      yield* ask(server, `CREATE DATABASE ${name}`)
      return new URL(name, server)
    }),
    (made) => ask(server, `DROP DATABASE ${made.pathname.slice(1)}`)
  )

let running: Promise<URL> | undefined
let stop: () => Promise<void> = () => Promise.resolve()

/** The server of this file's tests. */
const server = Effect.promise(() => {
  running ??= Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
      return yield* Scope.provide(engine, scope)
    })
  )
  return running
})

/** A database of its own. */
export const freshDatabase = Effect.flatMap(server, database)

/** The store on a database. */
export const storeOn = (url: URL) => layerClickHouse({ url: Redacted.make(url) })

/** A store on a database of its own, each time it is built. */
export const stores = Layer.unwrap(Effect.map(freshDatabase, storeOn))

/** Tests that need the server; where there is none, one says so. */
export const tested = (tests: () => void): void => {
  vi.setConfig({ testTimeout: TEST_TIMEOUT_MS })
  afterAll(() => stop())
  if (found.runs) tests()
  else it.effect(`is left out: ${REMEDY}`, () => Effect.sync(() => assert.isFalse(found.runs)))
}
