/**
 * The key that encrypts credentials of registered clusters.
 */
import { SecretFileAccess } from "@quarterdeck/keys"
import { Effect, FileSystem, Redacted, Schema } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as SystemRefusal from "../settings/SystemRefusal.ts"
import * as InstallationKey from "./InstallationKey.ts"

const BYTES = 32
const FILE_NAME = "clusters.key"

/** The file in `clusters.secretFile` is unusable. */
export class SecretFileUnusable extends Schema.TaggedError<SecretFileUnusable>()("SecretFileUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `clusters.secretFile: cannot use ${this.path} (${this.problem})`
  }
}

/**
 * Reads the key from the file in the setting, else from the data directory. Creates the latter the first time.
 *
 * **Shape** any 32 bytes. **Errors** `SecretFileUnusable`, `DataDirectoryUnusable`.
 */
export const read = Effect.fn("ClusterCredentialKey.read")(function* ({
  clusters: { secretFile },
  dataDirectory
}: Pick<Settings, "clusters" | "dataDirectory">) {
  if (secretFile === undefined) return yield* InstallationKey.readOrMake(dataDirectory, FILE_NAME)
  const files = yield* FileSystem.FileSystem
  const bytes = yield* files
    .readFile(secretFile)
    .pipe(
      Effect.mapError(
        ({ reason }) => new SecretFileUnusable({ path: secretFile, problem: SystemRefusal.print(reason) })
      )
    )
  if (bytes.length !== BYTES) {
    return yield* new SecretFileUnusable({
      path: secretFile,
      problem: `holds ${bytes.length} bytes instead of ${BYTES}`
    })
  }
  yield* SecretFileAccess.warn("the secret file", secretFile)
  return Redacted.make(bytes)
})
