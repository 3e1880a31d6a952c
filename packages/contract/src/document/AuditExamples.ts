/** Examples of audit events. */
import { AuditEvent } from "@quarterdeck/keys/AuditEvent"
import { AuditList } from "../AuditGroup.ts"
import { example } from "./Example.ts"

const event: typeof AuditEvent.Encoded = {
  id: "1042",
  at: "2026-11-21T06:15:05.826Z",
  actor: { kind: "key", keyId: "key_pfUub978quSSB1QT7pHAW1", name: "platform-team" },
  via: "rest",
  address: "192.0.2.7",
  resource: "apiKeys",
  verb: "delete",
  route: "/api/v1/apiKeys/:id",
  target: { asked: "", clusters: [], object: "key_aVXy5stSSTGObFfvJvfSXp" },
  decision: "allow",
  status: 200,
  requestId: "6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f",
  hash: "0bdb22a3a4b8ae1d1bb3d02ee95e3d5a1cb8dca5c2c6d1b6a4fdb6c9f40ad1a7",
  previousHash: "ddc6a8e4ab1b4bd2c5b7c32dd5a14b2bdb0f0b1a7a3bb8ba8f8e64f36fb0ab5c"
}

export const auditExamples = [example(AuditEvent, event), example(AuditList, { events: [event] })]
