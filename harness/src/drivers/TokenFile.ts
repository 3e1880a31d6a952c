/**
 * The file of users and tokens in the format of `--token-auth-file`.
 *
 * **Source** Kubernetes, "Authenticating: Static token file".
 */
import { Redacted } from "effect"
import type { ClusterUser } from "./ClusterDriver.ts"

/**
 * Formats the file. **Shape** CSV: token, name, uid, groups. All groups share one column. A user without groups has no
 * such column, because an empty column would name an empty group.
 */
export const print = (users: ReadonlyArray<ClusterUser>): string =>
  users
    .map(({ groups, name, token }) =>
      [Redacted.value(token), name, name, ...(groups.length === 0 ? [] : [groups.join(",")])].map(quoted).join(",")
    )
    .map((line) => `${line}\n`)
    .join("")

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`
