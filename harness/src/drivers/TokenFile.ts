/**
 * The file of those who may enter, as `--token-auth-file` reads it.
 *
 * **Source** Kubernetes, "Authenticating: Static token file".
 */
import { Redacted } from "effect"
import type { ClusterUser } from "./ClusterDriver.ts"

/** Prints the file. **Shape** CSV: token, name, uid and the groups in one column, which an empty one would name one too. */
export const print = (users: ReadonlyArray<ClusterUser>): string =>
  users
    .map(({ groups, name, token }) =>
      [Redacted.value(token), name, name, ...(groups.length === 0 ? [] : [groups.join(",")])].map(quoted).join(",")
    )
    .map((line) => `${line}\n`)
    .join("")

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`
