/**
 * The demo as a process: three clusters with workloads and thirty days of costs, and a key of each role.
 */
import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const PROGRAM = fileURLToPath(new URL("../../../../examples/demo/src/main.ts", import.meta.url))

const KEYS = ["ADMIN", "OPERATOR", "VIEWER", "SHOP"] as const
export type DemoKey = (typeof KEYS)[number]

const isKey = (text: string): text is DemoKey => KEYS.some((key) => key === text)

const READY = / at (http:\/\/\S+): parent /
const COLORS = /\u001B\[[0-9;]*m/g

/** Reads what the demo prints until it has said its address and all of its keys. */
const readPage = async (lines: AsyncIterable<string>) => {
  let url: string | undefined
  const keys = new Map<DemoKey, string>()
  for await (const line of lines) {
    const text = line.replaceAll(COLORS, "")
    url ??= READY.exec(text)?.[1]
    const [name = "", key] = text.split("=")
    if (isKey(name) && key !== undefined) keys.set(name, key)
    if (url !== undefined && keys.size === KEYS.length) break
  }
  if (url === undefined) throw new Error("the demo ended before it was ready")
  const key = (name: DemoKey): string => {
    const found = keys.get(name)
    if (found === undefined) throw new Error(`the demo has made no key ${name}`)
    return found
  }
  return { url, key }
}

const start = Effect.acquireRelease(
  Effect.sync(() =>
    spawn(process.execPath, ["--conditions=@quarterdeck/source", PROGRAM, "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
  ),
  (child) =>
    Effect.promise(async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined
      child.kill("SIGINT")
      await ended
    })
)

/** A demo that runs, and ends with the scope. */
export class Demo extends Context.Service<Demo, Awaited<ReturnType<typeof readPage>>>()(
  "@quarterdeck/http-server/test/Demo"
) {
  static readonly layer = Layer.effect(
    Demo,
    Effect.gen(function* () {
      const { stdout } = yield* start
      const lines = createInterface({ input: stdout })
      const page = yield* Effect.promise(() => readPage(lines))
      // What it prints later is read by nobody, and must not fill the pipe.
      stdout.resume()
      return Demo.of(page)
    })
  )
}
