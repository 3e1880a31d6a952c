/** A real Prometheus on histories that promtool has put into its blocks. */
import { eventually } from "@quarterdeck/harness"
import { Effect, Stream } from "effect"
import { execFile, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { needed, pathOf } from "./Programs.ts"

const execute = promisify(execFile)

const prometheus = await needed("prometheus")
const promtool = await needed("promtool")

/** True if the tests that need both are part of this run. */
export const runs = prometheus.runs && promtool.runs

/** Adds a note to a suite whose tests are left out. */
export const sayIfLeftOut = (it: {
  readonly effect: (name: string, test: () => Effect.Effect<void>) => void
}): void => {
  for (const { name } of [prometheus, promtool].filter((one) => !one.runs)) {
    it.effect(`is left out: there is no ${name} on the PATH`, () => Effect.void)
  }
}

/** Starts Prometheus on what OpenMetrics texts tell, each its own file, and gives its address. */
export const start = Effect.fnUntraced(function* <E>(histories: ReadonlyArray<Stream.Stream<string, E>>) {
  const directory = yield* temporaryDirectory
  const data = join(directory, "data")
  yield* Effect.promise(() => mkdir(data))
  const tool = yield* pathOf(promtool)
  for (const [index, history] of histories.entries()) {
    const file = join(directory, `history-${index}.txt`)
    const text = yield* Stream.runCollect(history)
    yield* Effect.promise(() => pipeline(Readable.from(text), createWriteStream(file)))
    yield* Effect.promise(() => execute(tool, ["tsdb", "create-blocks-from", "openmetrics", file, data]))
  }
  const config = join(directory, "prometheus.yml")
  yield* Effect.promise(() => writeFile(config, "{}"))
  const program = yield* pathOf(prometheus)
  // Another process may take the port between its being found and its being used: then the program ends, and has another.
  return yield* listening(program, config, data).pipe(Effect.retry({ times: 3 }))
})

const listening = Effect.fnUntraced(function* (program: string, config: string, data: string) {
  const port = yield* freePort
  const child = yield* running(program, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${data}`,
    "--storage.tsdb.retention.time=10y",
    `--web.listen-address=127.0.0.1:${port}`
  ])
  const url = `http://127.0.0.1:${port}`
  // Another program may have taken the port and be ready, but it has other data.
  const ready = Effect.promise(() =>
    fetch(`${url}/api/v1/status/flags`)
      .then((answer) => answer.text())
      .catch(() => "")
      .then((flags) => (flags.includes(JSON.stringify(data)) ? "ready" : child.exitCode === null ? "begins" : "ended"))
  )
  const state = yield* eventually("Prometheus is ready", ready, (state) => state !== "begins", { within: "60 seconds" })
  return state === "ready" ? url : yield* Effect.fail(new Error("Prometheus ended"))
})

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Runs a program until the scope closes. */
const running = (path: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(path, args, { stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
