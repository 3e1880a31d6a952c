/** Reads a log that is followed over real HTTP. */
import { eventually } from "@quarterdeck/harness"
import { LOG_END } from "@quarterdeck/contract/PodGroup"
import { Effect } from "effect"
import { type ClientRequest, type IncomingMessage, request } from "node:http"

interface Options {
  readonly url: string
  readonly key: string
}

/** One reader: what it was told, and whether that has ended. */
export class LogReader {
  text = ""
  /** **Units** bytes. */
  taken = 0
  isClosed = false

  /** The code in the last line, once there is one. */
  get endCode(): string | undefined {
    const last = this.text.trimEnd().split("\n").at(-1) ?? ""
    return last.startsWith(LOG_END) ? last.slice(LOG_END.length).split(":")[0] : undefined
  }
}

const connect = ({ key, url }: Options) =>
  Effect.acquireRelease(
    Effect.callback<readonly [ClientRequest, IncomingMessage], Error>((resume) => {
      const outgoing = request(url, { agent: false, headers: { authorization: `Bearer ${key}` } })
      outgoing.on("response", (incoming) => resume(Effect.succeed([outgoing, incoming])))
      outgoing.on("error", (error) => resume(Effect.fail(error)))
      outgoing.end()
      return Effect.sync(() => outgoing.destroy())
    }),
    ([outgoing]) => Effect.sync(() => outgoing.destroy())
  )

/** Opens a log until the scope ends. **Shape** with `count` the text is dropped but for its end, and only counted. */
export const open = Effect.fnUntraced(function* (options: Options, keep: "text" | "count" = "text") {
  const reader = new LogReader()
  const [outgoing, incoming] = yield* connect(options)
  if (keep === "text") incoming.setEncoding("utf8")
  incoming.on("data", (chunk: string | Buffer) => {
    reader.taken += chunk.length
    reader.text = keep === "text" ? reader.text + String(chunk) : String(chunk).slice(-1_000)
  })
  const close = () => {
    reader.isClosed = true
  }
  incoming.on("close", close)
  incoming.on("error", close)
  return Object.assign(reader, {
    status: incoming.statusCode,
    headers: incoming.headers,
    pause: () => incoming.pause(),
    resume: () => incoming.resume(),
    leave: () => outgoing.destroy()
  })
})

export const until = (
  what: string,
  reader: LogReader,
  holds: (reader: LogReader) => boolean,
  within: `${number} seconds` = "10 seconds"
) =>
  eventually(
    what,
    Effect.sync(() => reader),
    holds,
    { within, every: "10 millis" }
  )
