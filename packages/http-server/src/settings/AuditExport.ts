/**
 * The settings of the audit and of webhooks, decoded and checked against each other.
 */
import * as AuditRows from "./AuditRows.ts"
import { type Row, table } from "./Table.ts"

/**
 * The destination of the audit export.
 *
 * **Shape** A webhook has a `secretFile`. Without `caFile`, the certificate authorities that Node.js trusts apply.
 */
export interface AuditExportSettings {
  readonly place: AuditRows.ExportPlace
  readonly secretFile: string | undefined
  readonly caFile: string | undefined
}

/** The settings of the audit. **Shape** without `export`, the server exports nothing. */
export interface AuditSettings {
  readonly reads: "denied" | "all"
  readonly retentionDays: number
  readonly maxBytes: number
  readonly export: AuditExportSettings | undefined
}

/** The hosts that webhooks may address. **Shape** `allowedHosts` is empty when not set. */
export interface WebhookSettings {
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowLoopback: boolean
}

/** Callbacks of the reader of settings. `isGiven` is true if a source sets a setting; `blame` reports a problem. */
interface Reading {
  readonly isGiven: (row: Row<unknown>) => boolean
  readonly blame: (message: string, ...blamed: ReadonlyArray<Row<unknown>>) => void
}

/** Reads the settings of the audit and of webhooks. */
export const read = (
  value: <A>(row: Row<A>) => A
): { readonly audit: AuditSettings; readonly webhooks: WebhookSettings } => ({
  audit: {
    reads: value(table.auditReads),
    retentionDays: value(table.auditRetentionDays),
    maxBytes: value(table.auditMaxBytes),
    export: exportOf(value)
  },
  webhooks: {
    allowedHosts: value(table.webhooksAllowedHosts) ?? [],
    allowLoopback: value(table.webhooksAllowLoopback)
  }
})

const exportOf = (value: <A>(row: Row<A>) => A): AuditExportSettings | undefined => {
  const [secretFile, caFile] = [value(table.auditExportSecretFile), value(table.auditExportCaFile)]
  const place = AuditRows.parsePlace(value(table.auditExportTo) ?? "")
  return place === undefined ? undefined : { place, secretFile, caFile }
}

/** Reports settings of the audit export that contradict or lack each other. */
export const requireTogether = (
  reading: Reading,
  settings: AuditExportSettings | undefined,
  allowedHosts: ReadonlyArray<string>
): void => {
  const { auditExportCaFile, auditExportSecretFile, auditExportTo } = table
  const place = settings?.place
  const hasSecret = reading.isGiven(auditExportSecretFile)
  if (hasSecret && place?._tag !== "Webhook") {
    reading.blame(`${auditExportSecretFile.path} needs a webhook in ${auditExportTo.path}`, auditExportSecretFile)
  }
  if (reading.isGiven(auditExportCaFile) && (place === undefined || place._tag === "File")) {
    reading.blame(
      `${auditExportCaFile.path} needs a syslog server or webhook in ${auditExportTo.path}`,
      auditExportCaFile
    )
  }
  if (place?._tag !== "Webhook") return
  if (!hasSecret) reading.blame(`${auditExportTo.path}: a webhook needs ${auditExportSecretFile.path}`, auditExportTo)
  if (allowedHosts.some((host) => host.toLowerCase() === place.host)) return
  reading.blame(`${auditExportTo.path}: webhooks.allowedHosts must name its host ${place.host}`, auditExportTo)
}
