/**
 * The identity of the cluster behind a name.
 */
import type { Connection } from "@quarterdeck/cluster-fanout/Cluster"
import type { Member } from "@quarterdeck/cluster-fanout/ClusterCache"
import { Effect, Redacted } from "effect"
import { hash } from "node:crypto"

/** Time to wait for namespaces once pods are known. Afterwards namespaces count as unreadable. **Units** milliseconds. */
const NAMESPACES_WAIT_MS = 60_000

/**
 * Returns a digest of a connection's server address and certificate authority.
 *
 * **Shape** an authority file counts by its path, because its content may be renewed.
 */
export const connectionDigest = ({ certificateAuthority, server }: Connection): string => {
  const authority =
    certificateAuthority?._tag === "Data"
      ? Redacted.value(certificateAuthority.pem)
      : (certificateAuthority?.path ?? "")
  return hash("sha256", JSON.stringify([server, authority]), "hex")
}

/** Returns true if the UID is known, or cannot be read. */
const isSettled = ({ store }: Member): boolean => store.table("Namespace").sync._tag !== "Pending"

/**
 * Waits until the UID of a cluster is known or cannot be read.
 *
 * **Limits** waits for pods without a deadline, then up to {@link NAMESPACES_WAIT_MS} for namespaces.
 */
export const awaitUid = (member: Member): Effect.Effect<string | undefined> => {
  const { signal, systemNamespace } = member.store
  const hasPods = () => member.store.table("Pod").sync._tag === "Synced"
  const givesUp = Effect.andThen(
    signal.until(() => hasPods()),
    Effect.sleep(NAMESPACES_WAIT_MS)
  )
  return Effect.map(
    Effect.raceFirst(
      signal.until(() => isSettled(member)),
      givesUp
    ),
    () => systemNamespace.uid
  )
}

/** Waits until the cluster behind the name has another UID. Continues to wait while the UID is unreadable. */
export const awaitOther = ({ store }: Member, uid: string | undefined): Effect.Effect<void> =>
  store.signal.until(() => store.systemNamespace.uid !== undefined && store.systemNamespace.uid !== uid)
