/**
 * The destinations of the audit export: a file, a syslog server or a webhook.
 */
import { type AddressRule, GuardedConnect } from "@quarterdeck/cluster-fanout"
import { AuditExporter, DiskReserve } from "@quarterdeck/keys"
import { NDJSON_MEDIA_TYPE } from "@quarterdeck/contract/AuditGroup"
import { Effect, Fiber } from "effect"
import { open, readFile } from "node:fs/promises"
import { hostname } from "node:os"
import { isIP } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import type { HostPort } from "../settings/AuditRows.ts"
import type { AuditExportSettings } from "../settings/AuditExport.ts"
import type { Settings } from "../settings/Settings.ts"
import * as Webhook from "./Webhook.ts"

type Sink = AuditExporter.AuditSink

/** Makes the sink that the settings select. */
export const make = Effect.fnUntraced(function* (
  { caFile, place, secretFile }: AuditExportSettings,
  { allowLoopback }: Settings["webhooks"]
): Effect.fn.Return<Sink> {
  switch (place._tag) {
    case "File":
      return fileSink(place.path, yield* DiskReserve.CurrentReserve)
    case "Syslog":
      return syslogSink(place, caFile)
    case "Webhook":
      return webhookSink({
        url: place.url,
        // The settings require a secret file for a webhook.
        secretFile: secretFile ?? "",
        caFile,
        rule: { allowLoopback },
        lookup: yield* GuardedConnect.HostLookup
      })
  }
})

const failed = (cause: unknown) =>
  new AuditExporter.DeliveryFailed({ problem: cause instanceof Error ? cause.message : "not an error" })

const linesOf = ({ events, head }: AuditExporter.Delivery): string => [...events, head, ""].join("\n")

const LINE_END = 0x0a

/**
 * Appends to a file, created with mode 0600. If a crash left an incomplete last line, ends that line first.
 *
 * **Errors** while the disk of the data directory is full. The file may be on the same disk, and must not use the space
 * that is reserved for revocations.
 */
const fileSink = (path: string, reserve: DiskReserve.DiskReserve): Sink => ({
  place: `file ${path}`,
  deliver: Effect.fnUntraced(function* (delivery) {
    if (reserve.isFull()) return yield* failed(new Error("the disk of the data directory is full"))
    yield* Effect.tryPromise({
      try: async () => {
        const file = await open(path, "a+", 0o600)
        try {
          const { size } = await file.stat()
          const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
          const isCut = size > 0 && buffer[0] !== LINE_END
          await file.writeFile(`${isCut ? "\n" : ""}${linesOf(delivery)}`)
          await file.datasync()
        } finally {
          await file.close()
        }
      },
      catch: failed
    })
  })
})

const SYSLOG_TIMEOUT_MS = 30_000
/** Time for the server to close its side. Syslog has no other acknowledgement. */
const SYSLOG_CLOSE_MS = 2_000
/** Facility 13 (log audit), severity 6 (informational). **Source** RFC 5424 §6.2.1. */
const PRIORITY = 13 * 8 + 6

/** Prefixes a message with its length. **Source** RFC 5424 §6; RFC 5425 §4.3. */
const frameOf = (messageId: "event" | "head", at: string, message: string): string => {
  const host =
    hostname()
      .replace(/[^\x21-\x7e]/g, "")
      .slice(0, 255) || "-"
  const text = `<${PRIORITY}>1 ${at} ${host} quarterdeck ${process.pid} ${messageId} - ${message}`
  return `${Buffer.byteLength(text)} ${text}`
}

const AT = /"at":"([^"]{1,40})"/
const atOf = (line: string): string => AT.exec(line.slice(0, 200))?.[1] ?? "-"

/** Sends each delivery over its own TLS connection. */
const syslogSink = ({ host, port }: HostPort, caFile: string | undefined): Sink => ({
  place: `syslog ${host}:${port}`,
  deliver: Effect.fnUntraced(function* ({ events, head }) {
    const ca = yield* readOptional(caFile)
    const last = atOf(events.at(-1) ?? "")
    const text = [...events.map((event) => frameOf("event", atOf(event), event)), frameOf("head", last, head)].join("")
    const trust = ca === undefined ? {} : { ca }
    const name = isIP(host) === 0 ? { servername: host } : {}
    const open = Effect.sync(() => connect({ host, port, ...name, ...trust }))
    yield* Effect.acquireUseRelease(
      open,
      (socket) => send(socket, text),
      (socket) => Effect.sync(() => socket.destroy())
    )
  })
})

/** Writes a text and ends the connection; waits a moment for the server to end its side. */
const send = Effect.fnUntraced(function* (socket: TLSSocket, text: string) {
  const failing = (resume: (exit: Effect.Effect<never, AuditExporter.DeliveryFailed>) => void) => (error: Error) =>
    resume(Effect.fail(failed(error)))
  const closed = Effect.callback<void, AuditExporter.DeliveryFailed>((resume) => {
    socket.on("error", failing(resume))
    socket.on("close", () => resume(Effect.void))
  })
  const written = Effect.callback<void, AuditExporter.DeliveryFailed>((resume) => {
    socket.on("error", failing(resume))
    socket.on("close", () => resume(Effect.fail(failed(new Error("the syslog server closed the connection")))))
    socket.resume()
    socket.once("secureConnect", () => socket.end(text, () => resume(Effect.void)))
  })
  const closing = yield* Effect.forkChild(closed, { startImmediately: true })
  yield* Effect.timeoutOrElse(written, {
    duration: SYSLOG_TIMEOUT_MS,
    orElse: () => Effect.fail(failed(new Error("the syslog server does not read")))
  })
  yield* Effect.timeoutOption(Fiber.join(closing), SYSLOG_CLOSE_MS)
})

interface WebhookPlace {
  readonly url: string
  readonly secretFile: string
  readonly caFile: string | undefined
  readonly rule: AddressRule.AddressRule
  readonly lookup: GuardedConnect.Lookup
}

const webhookSink = ({ caFile, lookup, rule, secretFile, url }: WebhookPlace): Sink => ({
  place: `webhook ${url}`,
  deliver: Effect.fnUntraced(function* (delivery) {
    const ca = yield* readOptional(caFile)
    const secret = (yield* readText(secretFile)).trimEnd()
    if (secret === "") return yield* failed(new Error(`${secretFile} is empty`))
    const message = {
      url,
      secret,
      deliveryId: delivery.id,
      mediaType: NDJSON_MEDIA_TYPE,
      body: linesOf(delivery),
      ...(ca === undefined ? {} : { ca })
    }
    yield* Webhook.post(rule, message).pipe(
      Effect.provideService(GuardedConnect.HostLookup, lookup),
      Effect.mapError(failed)
    )
  })
})

const readText = (path: string) => Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: failed })

const readOptional = (path: string | undefined) => (path === undefined ? Effect.succeed(undefined) : readText(path))
