/**
 * Starts a service over two clusters, runs a command, and exits with the command's status. The command finds the service's
 * address in `QUARTERDECK_URL` and an Admin key in `QUARTERDECK_API_KEY`.
 */
import { Embedded, eventually, Fleet, Seed } from "@quarterdeck/harness"
import { Quarterdeck } from "@quarterdeck/http-server"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

const [program = "true", ...args] = process.argv.slice(2)

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-openapi-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const listen = (handler: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer({ maxHeaderSize: 16_384 }, handler).listen(0, "127.0.0.1", () => {
        resume(Effect.succeed(server))
      })
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    })
  )

const run = (environment: Readonly<Record<string, string>>) =>
  Effect.callback<number, Error>((resume) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...environment } })
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("exit", (code) => resume(Effect.succeed(code ?? 1)))
    return Effect.sync(() => child.kill())
  })

const served = Effect.gen(function* () {
  const path = yield* directory
  const [kubeconfig, key] = [join(path, "kubeconfig.yaml"), join(path, "key")]
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
  yield* Seed.fill(fleet)
  yield* Effect.promise(() => writeFile(kubeconfig, fleet.kubeconfig))
  const options = {
    clusters: { kubeconfig: [kubeconfig], parent: "hub" },
    keys: { bootstrapFile: key },
    limits: { keyPerSecond: 0, failedPerSecond: 0 },
    dataDirectory: join(path, "data"),
    telemetry: { logLevel: "error" } as const
  }
  const quarterdeck = yield* Effect.acquireRelease(
    Effect.promise(() => Quarterdeck.start(options)),
    (started) => Effect.promise(started.dispose)
  )
  const url = yield* listen(quarterdeck.nodeHandler)
  const probe = Effect.promise((signal) => fetch(`${url}/readyz`, { signal }).then(({ status }) => status))
  yield* eventually("the service is ready", probe, (status) => status === 200, { within: "60 seconds" })
  const text = yield* Effect.promise(() => readFile(key, "utf8"))
  return yield* run({ QUARTERDECK_URL: url, QUARTERDECK_API_KEY: text.trim() })
})

process.exitCode = await Effect.runPromise(Effect.scoped(served))
