/**
 * The settings of the audit, of its export and of webhooks.
 */
import { Schema } from "effect"
import * as Kind from "./Kind.ts"
import { optional, withDefault } from "./Row.ts"

/** A host with a port. **Shape** `host` is a name or an IP address without brackets. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** Parses `host:port`, with an IPv6 address in brackets. Returns `undefined` for anything else. */
const parseHostPort = (text: string): HostPort | undefined => {
  const at = text.lastIndexOf(":")
  const port = text.slice(at + 1)
  const host = text.slice(0, at).replace(/^\[|\]$/g, "")
  const isPort = /^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65_535
  return at > 0 && isPort && Kind.isHost(host) ? { host, port: Number(port) } : undefined
}

const FILE = "file:"
const SYSLOG = "syslog+tls://"

/** A destination of the audit export. */
export type ExportPlace =
  | { readonly _tag: "File"; readonly path: string }
  | ({ readonly _tag: "Syslog" } & HostPort)
  | { readonly _tag: "Webhook"; readonly url: string; readonly host: string }

/** Parses a destination. Returns `undefined` for any text but a file, syslog or webhook destination. */
export const parsePlace = (text: string): ExportPlace | undefined => {
  if (text.startsWith(FILE)) {
    const path = text.slice(FILE.length)
    return path === "" || path.includes("\0") ? undefined : { _tag: "File", path }
  }
  if (text.startsWith(SYSLOG)) {
    const server = parseHostPort(text.slice(SYSLOG.length))
    return server === undefined ? undefined : { _tag: "Syslog", ...server }
  }
  const url = URL.parse(text)
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "" || /[\s#]/.test(text)) return undefined
  return { _tag: "Webhook", url: text, host: url.hostname.replace(/^\[|\]$/g, "") }
}

const place: Kind.Kind<string> = Kind.written(
  "PLACE",
  "file:PATH, syslog+tls://HOST:PORT, or an https:// address without user, password or fragment",
  Schema.String.check(Schema.makeFilter((text) => parsePlace(text) !== undefined))
)

export const rows = {
  auditReads: withDefault("denied", {
    path: "audit.reads",
    flag: "audit-reads",
    kind: Kind.choice(["denied", "all"]),
    description:
      "Reads that the audit records. denied: only denied reads. all: every read, with similar reads of one minute merged into one event. Mutations are always recorded."
  }),
  auditRetentionDays: withDefault("400", {
    path: "audit.retentionDays",
    flag: "audit-retention-days",
    kind: Kind.wholeNumber(1, 3_650),
    unit: "days",
    description: "Days that the audit keeps an event."
  }),
  auditMaxBytes: withDefault("10737418240", {
    path: "audit.maxBytes",
    flag: "audit-max-bytes",
    kind: Kind.wholeNumber(1_048_576, 999_999_999_999_999),
    unit: "bytes",
    description:
      "Maximum size of the audit. Denials may fill one half; further denials are only counted. When the other half is full, the server refuses all changes except revoking keys."
  }),
  auditExportTo: optional({
    path: "audit.export.to",
    flag: "audit-export-to",
    kind: place,
    description:
      "Destination that receives each audit event: a file of JSON lines (file:PATH), a syslog server (syslog+tls://HOST:PORT, RFC 5424) or a webhook (https://...). A webhook needs audit.export.secretFile, and its host in webhooks.allowedHosts. Unset: no export."
  }),
  auditExportSecretFile: optional({
    path: "audit.export.secretFile",
    flag: "audit-export-secret-file",
    kind: Kind.path,
    description:
      "File with the secret that signs deliveries to the webhook in audit.export.to. The server reads it again for each delivery."
  }),
  auditExportCaFile: optional({
    path: "audit.export.caFile",
    flag: "audit-export-ca-file",
    kind: Kind.path,
    description:
      "PEM file of the certificate authorities to trust for the syslog server or webhook. Unset: the authorities that Node.js trusts."
  }),
  webhooksAllowedHosts: optional({
    path: "webhooks.allowedHosts",
    flag: "webhook-hosts",
    kind: Kind.hosts,
    description: "Hosts that webhooks may address. Unset: none."
  }),
  webhooksAllowLoopback: withDefault("false", {
    path: "webhooks.allowLoopback",
    flag: "allow-loopback-webhooks",
    kind: Kind.truth,
    description: "Allows webhooks to loopback addresses."
  })
}
