import { NodeHttpClient, NodeServices } from "@effect/platform-node"
import { Console, Effect, Fiber, Layer, Runtime, type Scope, Sink, Stdio, Stream, Terminal } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { homedir } from "node:os"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { format } from "node:util"
import * as Program from "../../src/cli/Program.ts"
import { Surroundings } from "../../src/settings/Surroundings.ts"

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url))
const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))

// What V8 compiled of the program for one test it need not for the next: it starts in half the time.
const { NODE_COMPILE_CACHE, PATH = "" } = process.env
const environment = { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }

export interface Finished {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

interface Given {
  readonly env?: Record<string, string>
  readonly stdin?: string | Uint8Array
  /** Whether a person types what `stdin` says. */
  readonly isTerminal?: boolean
}

/** Runs the program as a user does: of the test's own environment PATH alone reaches it. */
export const quarterdeckProcess = (
  args: ReadonlyArray<string>,
  { env = {}, stdin = "" }: Given = {}
): Effect.Effect<Finished> =>
  Effect.promise(async (signal) => {
    const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", BIN, ...args], {
      cwd: ROOT,
      env: { ...environment, ...env },
      signal
    })
    child.stdin.on("error", () => undefined)
    child.stdin.end(stdin)
    const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
    return { stdout, stderr, status }
  })

/**
 * Runs the program within this process, on streams and an environment of its own: all of it but its start, which takes a
 * hundred times as long as most commands. `Program.test.ts` holds a process to the same.
 */
export const quarterdeck = (
  args: ReadonlyArray<string>,
  { env = {}, isTerminal = false, stdin = "" }: Given = {}
): Effect.Effect<Finished> =>
  Effect.callback((resume) => {
    const streams = { stdout: "", stderr: "" }
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
    const write = (stream: keyof typeof streams, part: string | Uint8Array) => {
      streams[stream] += typeof part === "string" ? part : decoders[stream].decode(part, { stream: true })
    }
    const sink = (stream: keyof typeof streams) => () =>
      Sink.forEach((part: string | Uint8Array) => Effect.sync(() => write(stream, part)))
    const stdio = Stdio.layerTest({
      args: Effect.succeed(args),
      stdinIsTerminal: Effect.succeed(isTerminal),
      stdin: Stream.make(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin),
      stdout: sink("stdout"),
      stderr: sink("stderr")
    })
    const line =
      (stream: keyof typeof streams) =>
      (...values: ReadonlyArray<unknown>) =>
        write(stream, `${format(...values)}\n`)
    const printed = {
      ...console,
      log: line("stdout"),
      info: line("stdout"),
      error: line("stderr"),
      warn: line("stderr")
    }
    const surroundings = Surroundings.of({
      variables: { ...environment, ...env },
      home: env["HOME"] ?? homedir()
    })
    const typed = stdin.toString().split("\n")
    const terminal = Layer.effect(
      Terminal.Terminal,
      Effect.map(Terminal.Terminal, (real) => ({
        ...real,
        readLine: typed.length > 1 ? Effect.sync(() => typed.shift() ?? "") : Effect.fail(new Terminal.QuitError())
      }))
    )
    const platform = Layer.mergeAll(
      Layer.provideMerge(Layer.merge(stdio, terminal), NodeServices.layer),
      NodeHttpClient.layerNodeHttp,
      Layer.succeed(Surroundings, surroundings),
      Layer.succeed(Console.Console, printed)
    )
    let running: Fiber.Fiber<unknown, unknown> | undefined
    const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
      running = fiber
      fiber.addObserver((exit) => teardown(exit, (status) => resume(Effect.succeed({ ...streams, status }))))
    })
    runMain(Effect.provide(Program.main, platform), { teardown: Program.teardown(args) })
    return Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running)))
  })

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (status) => resolve(status))
  })

/** Reads JSON without saying what it holds. */
export const json = (text: string): unknown => JSON.parse(text)

export interface Started {
  readonly pid: number
  /** Waits until its log says something. **Errors** dies with the log when the server ends before it does. */
  readonly says: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Tells the server to stop as a process manager does, and gives what it left. */
  readonly stop: Effect.Effect<Finished>
  /** Waits until it has printed something. **Errors** as of `says`. */
  readonly prints: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Ends it as Ctrl-C does. */
  readonly interrupt: Effect.Effect<Finished>
  /** Ends it as a power cut does. */
  readonly kill: Effect.Effect<Finished>
}

export interface Serving extends Started {
  /** The address that the log tells. */
  readonly url: string
}

const LISTENING = /listening on (https?:\/\/[^\s"]+)/

/** Starts `quarterdeck serve`, and ends it with the scope. */
export const start = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => running(["serve", ...args], env)

/** Starts a command that does not end by itself, and ends it with the scope. */
export const running = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {}
): Effect.Effect<Started, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--conditions=@quarterdeck/source", BIN, ...args], {
          cwd: ROOT,
          env: { ...environment, ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (running) =>
        Effect.promise(async () => {
          if (running.exitCode !== null || running.signalCode !== null) return
          running.kill("SIGKILL")
          await once(running, "close")
        })
    )
    const { pid } = child
    if (pid === undefined) return yield* Effect.die("the program did not start")
    const closed = ended(child)
    const streams = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      streams.stdout += part
    })
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      streams.stderr += part
    })
    const writes = (stream: keyof typeof streams) => (pattern: RegExp) =>
      Effect.callback<RegExpExecArray>((resume) => {
        const look = () => {
          const told = pattern.exec(streams[stream])
          if (told !== null) resume(Effect.succeed(told))
        }
        child[stream].on("data", look)
        const dead = () => Effect.die(`the program ended before it said ${pattern}: ${streams.stderr}`)
        child.once("close", () => resume(dead()))
        look()
        if (child.exitCode !== null || child.signalCode !== null) resume(dead())
      })
    const end = (signal: NodeJS.Signals) =>
      Effect.promise(async () => {
        child.kill(signal)
        return { ...streams, status: await closed }
      })
    return {
      pid,
      says: writes("stderr"),
      prints: writes("stdout"),
      stop: end("SIGTERM"),
      interrupt: end("SIGINT"),
      kill: end("SIGKILL")
    }
  })

/** Runs `quarterdeck serve` until the scope ends. **Errors** dies with the log when the server ends before it listens. */
export const serve = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {}
): Effect.Effect<Serving, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = yield* start(args, env)
    const [, url = ""] = yield* started.says(LISTENING)
    return { ...started, url }
  })

export interface Seen {
  readonly method: string
  readonly url: URL
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** JSON unless it is a text. */
  readonly body?: unknown
}

export interface FakeService {
  readonly url: string
  readonly seen: ReadonlyArray<Seen>
  /** The environment of a user of this service. */
  readonly env: Record<string, string>
}

export const API_KEY = "qd_test-key"

/** Listens on a free port and answers as told. */
export const service = (
  answer: (request: Seen, index: number) => Reply
): Effect.Effect<FakeService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const server = Http.createServer((request, response) => {
      const reply = async () => {
        const one: Seen = {
          method: request.method ?? "",
          url: new URL(request.url ?? "", "http://localhost"),
          headers: request.headers,
          body: await text(request)
        }
        seen.push(one)
        const { body, headers, status = 200 } = answer(one, seen.length - 1)
        const content = typeof body === "string" || body === undefined ? body : JSON.stringify(body)
        const mediaType = typeof body === "string" ? "text/html" : "application/json"
        response.writeHead(status, { "content-type": mediaType, ...headers }).end(content)
      }
      void reply()
    })
    const port = yield* listening(server)
    const url = `http://127.0.0.1:${port}`
    return { url, seen, env: { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: API_KEY } }
  })

/** Opens a server for the length of the scope. */
export const listening = (server: Http.Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return portOf(server.address())
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const portOf = (address: AddressInfo | string | null): number => {
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port")
  return address.port
}

/** The reply of a refusal. */
export const problem = (status: number, code: string, facts: Record<string, unknown> = {}): Reply => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: {
    type: `urn:quarterdeck:problem:${code}`,
    title: "Refused",
    status,
    code,
    detail: "the reason",
    requestId: "r-1",
    ...facts
  }
})

export const coverage = (name: string, facts: Record<string, unknown> = {}) => ({
  name,
  status: "ok",
  source: "cache",
  count: 1,
  ageMs: 5,
  latencyMs: 1,
  ...facts
})

/** A cluster as a list tells it. */
export const cluster = (name: string, facts: Record<string, unknown> = {}) => ({
  name,
  role: "child",
  version: "v1.34.1",
  reachable: true,
  lastSeen: "2026-01-02T03:04:05Z",
  nodes: 3,
  pods: 40,
  unhealthyWorkloads: 2,
  cpuAllocatableMillis: 11_500,
  memoryAllocatableBytes: 32 * 1024 ** 3,
  cpuRequestMillis: 4_250,
  memoryRequestBytes: 10 * 1024 ** 3,
  labels: { env: name },
  coverage: coverage(name),
  ...facts
})

export const workload = (name: string, facts: Record<string, unknown> = {}) => ({
  id: `uid-${name}`,
  cluster: "prod",
  namespace: "web",
  kind: "Deployment",
  name,
  labels: { app: "shop", team: "web" },
  images: ["shop:1", "proxy:2"],
  replicas: { desired: 3, ready: 2, updated: 3, available: 2 },
  status: "degraded",
  cpuRequestMillis: 1500,
  memoryRequestBytes: 3 * 1024 ** 3,
  cpuLimitMillis: 3000,
  memoryLimitBytes: 6 * 1024 ** 3,
  createdAt: "2026-01-02T03:04:05Z",
  ...facts
})
