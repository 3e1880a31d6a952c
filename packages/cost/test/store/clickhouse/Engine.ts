/**
 * Serves ClickHouse's HTTP interface from the engine that `chdb` brings into this process.
 *
 * A program of its own: one data directory a process, and statements block it. Arguments: where chdb is installed, the
 * data directory, the password. Prints its port; ends with its standard input.
 */
import { createRequire } from "node:module"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { gunzipSync } from "node:zlib"

interface Session {
  readonly query: (sql: string, format: string) => string
  readonly close?: () => void
}

const [chdb = "", data = "", password = ""] = process.argv.slice(2)

const isModule = (loaded: unknown): loaded is { readonly Session: new (directory: string) => Session } =>
  typeof loaded === "object" && loaded !== null && "Session" in loaded

const loaded: unknown = createRequire(join(chdb, "package.json"))("chdb")
if (!isModule(loaded)) throw new Error(`there is no chdb in ${chdb}`)
const { Session } = loaded
/** Keeps the engine running between requests. */
const engine = new Session(data)

/** What only the HTTP interface knows. */
const OF_HTTP = new Set(["query", "query_id", "database", "default_format", "wait_end_of_query", "session_id", "role"])

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

interface Asked {
  readonly sql: string
  readonly settings: ReadonlyMap<string, string>
}

const read = async (request: IncomingMessage): Promise<Asked> => {
  const settings = new Map(new URL(request.url ?? "/", "http://localhost").searchParams)
  const packed = await buffer(request)
  const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(packed) : packed
  const type = request.headers["content-type"] ?? ""
  if (!type.startsWith("multipart/form-data")) {
    const query = settings.get("query")
    return { sql: query === undefined ? body.toString() : `${query}\n${body.toString()}`, settings }
  }
  for (const part of body.toString().split(`--${type.slice(type.indexOf("boundary=") + "boundary=".length)}`)) {
    const [, name] = /^\r\n[^\r\n]*; name="([^"]*)"/.exec(part) ?? []
    if (name !== undefined) settings.set(name, part.slice(part.indexOf("\r\n\r\n") + 4, -2))
  }
  return { sql: settings.get("query") ?? "", settings }
}

const answer = ({ settings, sql }: Asked): string => {
  // One session a request: what is set does not stay.
  const session = new Session(data)
  try {
    session.query(`USE \`${settings.get("database") ?? "default"}\``, "Null")
    const set = [...settings]
      .filter(([name]) => !OF_HTTP.has(name) && !name.startsWith("http_"))
      .map(([name, value]) => `${name} = ${quoted(value)}`)
    if (set.length > 0) session.query(`SET ${set.join(", ")}`, "Null")
    return session.query(sql, settings.get("default_format") ?? "TabSeparated")
  } finally {
    session.close?.()
  }
}

const isAllowed = ({ headers }: IncomingMessage): boolean =>
  headers.authorization === `Basic ${Buffer.from(`default:${password}`).toString("base64")}`

const server = createServer((request, reply) => {
  if (request.url === "/ping") return reply.end("Ok.\n")
  const fail = (status: number, message: string) => {
    reply.writeHead(status, { "content-type": "text/plain", "x-clickhouse-exception-code": "1" }).end(message)
  }
  if (!isAllowed(request)) {
    return fail(403, "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)")
  }
  read(request)
    .then(answer)
    .then((text) => reply.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(text))
    .catch((error: unknown) => fail(500, error instanceof Error ? error.message : String(error)))
})

// A statement blocks this process, and what is asked meanwhile waits unread: a connection that only seems idle is kept.
server.keepAliveTimeout = 0

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})

process.stdin.resume().on("end", () => {
  server.closeAllConnections()
  server.close(() => engine.close?.())
})
