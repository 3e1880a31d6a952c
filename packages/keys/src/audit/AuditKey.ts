/**
 * The installation's key, which signs the head and the checkpoints of the audit.
 */
import { Context, type Redacted } from "effect"

/** The key's file in the data directory. **Shape** 32 random bytes, mode 0600. */
export const KEY_FILE = "audit.key"

export class AuditKey extends Context.Service<AuditKey, Redacted.Redacted<Uint8Array>>()(
  "@quarterdeck/keys/audit/AuditKey"
) {}
