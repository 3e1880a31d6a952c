/** A plain client that stops speaking HTTP. */
import { Effect, type Scope } from "effect"
import { request } from "node:https"
import type { Duplex } from "node:stream"
import { codeOf } from "./Fixture.ts"

export interface Session {
  readonly status: number
  readonly socket: Duplex | undefined
  readonly text: () => string
  readonly ended: () => string | undefined
}

/** Asks to upgrade, and ends what comes of it with the scope. */
export const upgrade = (
  { caPem, server }: { readonly caPem: string; readonly server: string },
  path: string,
  headers: Readonly<Record<string, string>>
): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Session>((resolve, reject) => {
          const asked = request(`${server}${path}`, { ca: caPem, headers: { connection: "Upgrade", ...headers } })
          asked.once("upgrade", (response, socket, head) => {
            let text = head.toString()
            let ended: string | undefined
            socket.on("data", (chunk: Buffer) => {
              text += chunk.toString()
            })
            socket.once("end", () => {
              ended ??= "end"
            })
            socket.on("error", (error) => {
              ended ??= codeOf(error)
            })
            resolve({ status: response.statusCode ?? 0, socket, text: () => text, ended: () => ended })
          })
          asked.once("response", (response) => {
            response.resume()
            resolve({ status: response.statusCode ?? 0, socket: undefined, text: () => "", ended: () => "end" })
          })
          asked.once("error", reject)
          asked.end()
        })
    ),
    ({ socket }) => Effect.sync(() => socket?.destroy())
  )
