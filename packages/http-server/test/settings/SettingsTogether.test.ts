import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import type { ExportPlace } from "../../src/settings/AuditRows.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"

interface Sources {
  readonly flags: Record<string, string>
}

const combine = ({ flags }: Sources) => Settings.combine(flags, {}, SettingsFile.parse("q.yaml", ""))

const settings = (sources: Sources) => Result.getOrThrow(combine(sources)).settings

const lines = (sources: Sources) =>
  Result.match(combine(sources), { onSuccess: () => [], onFailure: (error) => error.lines })

const WEBHOOK = { "audit-export-to": "https://siem.example:8443/hook?team=ops" }

describe("settings that go together", () => {
  it("tells a setting that cannot be read once, without what follows from it", () => {
    assert.deepStrictEqual(lines({ flags: { "tls-cert-file": "", "tls-key-file": "k.pem" } }), [
      "--tls-cert-file: server.tls.certFile must be a path, found nothing"
    ])
  })

  it.each<[string, ExportPlace]>([
    ["file:/var/log/audit.ndjson", { _tag: "File", path: "/var/log/audit.ndjson" }],
    ["syslog+tls://siem.example:6514", { _tag: "Syslog", host: "siem.example", port: 6_514 }],
    ["syslog+tls://[2001:db8::1]:6514", { _tag: "Syslog", host: "2001:db8::1", port: 6_514 }]
  ])("export the audit to %s", (to, place) => {
    const { audit } = settings({ flags: { "audit-export-to": to } })
    assert.deepStrictEqual(audit.export, { place, secretFile: undefined, caFile: undefined })
  })

  it.each([
    "file:",
    "syslog+tls://siem.example",
    "syslog+tls://siem.example:0",
    "syslog+tls://siem.example:65536",
    "syslog://siem.example:514",
    "http://siem.example/hook",
    "https://user@siem.example/hook",
    "https://siem.example/#hook"
  ])("refuse to export the audit to %s", (to) => {
    assert.deepStrictEqual(lines({ flags: { "audit-export-to": to } }), [
      "--audit-export-to: audit.export.to must be file:PATH, syslog+tls://HOST:PORT, or an https:// address without user, password or fragment"
    ])
  })

  it("want the host of a webhook to be allowed, and a secret that signs", () => {
    assert.deepStrictEqual(lines({ flags: WEBHOOK }), [
      "--audit-export-to: audit.export.to: a webhook needs audit.export.secretFile",
      "--audit-export-to: audit.export.to: webhooks.allowedHosts must name its host siem.example"
    ])
    const flags = { ...WEBHOOK, "audit-export-secret-file": "s", "webhook-hosts": "SIEM.example" }
    assert.strictEqual(settings({ flags }).audit.export?.secretFile, "s")
  })

  it("want a secret and authorities for a place that uses them", () => {
    assert.deepStrictEqual(lines({ flags: { "audit-export-secret-file": "s", "audit-export-ca-file": "c" } }), [
      "--audit-export-secret-file: audit.export.secretFile needs a webhook in audit.export.to",
      "--audit-export-ca-file: audit.export.caFile needs a syslog server or webhook in audit.export.to"
    ])
  })
})
