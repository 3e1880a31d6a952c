/** The server as an installed release starts it, from the sources, with the pod's files below a root of the test's own. */
import { Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import type { PodTemplate } from "./Kubelet.ts"
import { write } from "./Programs.ts"

const BIN = fileURLToPath(new URL("../../http-server/src/bin.ts", import.meta.url))
const NODE = ["--conditions=@quarterdeck/source", BIN]

const { NODE_COMPILE_CACHE, PATH = "" } = process.env
const environment = { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) }

/** Hashes a key as the docs say: `quarterdeck key hash`. */
export const hashOf = (key: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [...NODE, "key", "hash"], {
      env: environment,
      stdio: ["pipe", "pipe", "inherit"]
    })
    child.stdin.end(`${key}\n`)
    return (await text(child.stdout)).trim()
  })

const LISTENING = /listening on (https?:\/\/[^\s"]+)/

/** What the pod's paths are below the root. */
const below = (root: string) => (value: string) =>
  value
    .replaceAll("/etc/quarterdeck/", `${root}/etc/quarterdeck/`)
    .replaceAll("/var/lib/quarterdeck", `${root}/var/lib/quarterdeck`)

const Settings = Schema.Struct({ keys: Schema.Struct({ file: Schema.Array(Schema.String) }) })

const settingsFile = (root: string) => join(root, "etc/quarterdeck/settings/quarterdeck.yaml")

/** The settings that are mounted below the root, with the paths that they have there. */
const settingsBelow = (root: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => readFile(settingsFile(root), "utf8")),
    below(root)
  )

/** The keys files that the settings name, in their order. */
export const keysFiles = Effect.fnUntraced(function* (root: string) {
  const { keys } = yield* Schema.decodeUnknownEffect(Settings)(parse(yield* settingsBelow(root)))
  return keys.file
})

export interface Served {
  readonly url: string
  /** What it has logged so far. */
  readonly log: () => string
}

/** Starts the server with the arguments of the pod, on a free port of this machine. */
export const serve = (template: PodTemplate, root: string): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.gen(function* () {
    const place = below(root)
    const args = template.spec.containers[0].args.map(place).map((arg) => {
      if (arg.startsWith("--host=")) return "--host=127.0.0.1"
      return arg.startsWith("--port=") ? "--port=0" : arg
    })
    const placed = yield* write(join(root, "quarterdeck.yaml"), yield* settingsBelow(root))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...NODE, ...args.map((arg) => arg.replace(settingsFile(root), placed))], {
          env: { ...environment, HOME: root },
          stdio: ["ignore", "ignore", "pipe"]
        })
      ),
      (running) =>
        Effect.promise(async () => {
          if (running.exitCode !== null || running.signalCode !== null) return
          running.kill("SIGKILL")
          await once(running, "close")
        })
    )
    const log: Array<string> = []
    const url = yield* Effect.callback<string>((resume) => {
      child.stderr.setEncoding("utf8").on("data", (part: string) => {
        log.push(part)
        const [, found] = LISTENING.exec(log.join("")) ?? []
        if (found !== undefined) resume(Effect.succeed(found))
      })
      child.once("close", () => resume(Effect.die(new Error(`the server ended: ${log.join("")}`))))
    })
    return { url, log: () => log.join("") }
  })
