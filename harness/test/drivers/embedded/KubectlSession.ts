/** kubectl, pointed at an embedded cluster of its own. */
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { driver } from "../../../src/drivers/embedded/Embedded.ts"
import type { JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { ADMIN, connect, USERS } from "./Client.ts"

const run = promisify(execFile)

export const typed = (apiVersion: string, kind: string, object: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  ...object
})

const kubeconfig = (server: string, caPem: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    clusters: [
      { name: "it", cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } }
    ],
    users: [{ name: "it", user: { token: ADMIN } }],
    contexts: [{ name: "it", context: { cluster: "it", user: "it", namespace: "default" } }]
  })

/** A cluster, a directory of its own, and kubectl pointed at it. */
export const session = (path: string) =>
  Effect.gen(function* () {
    const server = yield* driver.start({ name: "kubectl", users: USERS })
    const home = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
      (home) => Effect.promise(() => rm(home, { recursive: true }))
    )
    const write = (name: string, text: string) =>
      Effect.promise(async () => {
        await writeFile(join(home, name), text, { mode: 0o600 })
        return join(home, name)
      })
    const config = yield* write("config", kubeconfig(server.server, server.caPem))
    const kubectl = (...args: ReadonlyArray<string>) =>
      Effect.map(
        Effect.tryPromise(() => run(path, ["--kubeconfig", config, ...args], { env: { HOME: home } })),
        ({ stdout }) => stdout.trim()
      )
    const refused = (...args: ReadonlyArray<string>) =>
      Effect.map(Effect.flip(kubectl(...args)), ({ cause }) => String(cause))
    const manifest = (name: string, ...objects: ReadonlyArray<JsonObject>) =>
      write(name, objects.map((object) => JSON.stringify(object)).join("\n---\n"))
    const lines = (...args: ReadonlyArray<string>) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => spawn(path, ["--kubeconfig", config, ...args], { env: { HOME: home } })),
          (child) => Effect.sync(() => child.kill())
        ),
        (child) => createInterface(child.stdout)[Symbol.asyncIterator]()
      )
    return { kubectl, refused, manifest, lines, ...(yield* connect(server)), server }
  })

/** The next line, empty once the program has ended. */
export const nextLine = (lines: AsyncIterator<string, undefined>) =>
  Effect.promise(async () => {
    const line = await lines.next()
    return line.done === true ? "" : line.value
  })
