/** An HTTP endpoint for Prometheus. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Clock, Effect, type Scope } from "effect"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import * as Endpoint from "./Endpoint.ts"
import { scrape, type Family } from "./Family.ts"

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
const CHUNK_CHARACTERS = 65_536

/**
 * Listens on a free port of 127.0.0.1 and returns the URL, `http://127.0.0.1:<port>`.
 *
 * **Limits** responses are streamed in chunks of 64 KB, so memory does not grow with their size. No authentication: any
 * local process can read them.
 */
export const listen = (
  paths: Readonly<Record<string, () => ReadonlyArray<Family>>>
): Effect.Effect<string, MachineRefused, Scope.Scope> =>
  Effect.map(
    Endpoint.listen(createServer, (request, response) => respond(paths, request, response)),
    (port) => `http://127.0.0.1:${port}`
  )

const respond = Effect.fnUntraced(function* (
  paths: Readonly<Record<string, () => ReadonlyArray<Family>>>,
  request: IncomingMessage,
  response: ServerResponse
) {
  const { pathname } = new URL(request.url ?? "/", "http://localhost")
  const families = Object.hasOwn(paths, pathname) ? paths[pathname] : undefined
  if (families === undefined || request.method !== "GET") {
    response.writeHead(404, { "content-type": "text/plain" })
    response.end(`metrics are at ${Object.keys(paths).join(" and ")}\n`)
    return
  }
  const nowMs = yield* Clock.currentTimeMillis
  response.writeHead(200, { "content-type": CONTENT_TYPE })
  // If the client disconnects, the stream ends early; that is not an error.
  yield* Effect.ignore(
    Effect.tryPromise((signal) => pipeline(Readable.from(chunked(scrape(families(), nowMs))), response, { signal }))
  )
})

/** Joins lines into chunks of at least 64 KB. */
export function* chunked(lines: Iterable<string>): Generator<string> {
  let chunk = ""
  for (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ""
  }
  if (chunk !== "") yield chunk
}
