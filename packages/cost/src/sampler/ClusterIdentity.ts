/**
 * Which cluster a name leads to now, as far as the sampler can tell.
 */
import type { Connection } from "@quarterdeck/cluster-fanout/Cluster"
import type { Member } from "@quarterdeck/cluster-fanout/ClusterCache"
import { Effect, Redacted } from "effect"
import { hash } from "node:crypto"

/** How long pods may be known before namespaces that do not come are taken for unreadable. **Units** milliseconds. */
const NAMESPACES_WAIT_MS = 60_000

/**
 * Returns a digest of what tells one server from another: its address and the authority of its certificate.
 *
 * **Shape** an authority in a file counts by the file's path: its content is renewed.
 */
export const connectionDigest = ({ certificateAuthority, server }: Connection): string => {
  const authority =
    certificateAuthority?._tag === "Data"
      ? Redacted.value(certificateAuthority.pem)
      : (certificateAuthority?.path ?? "")
  return hash("sha256", JSON.stringify([server, authority]), "hex")
}

/** Tells whether the uid is read, or cannot be read. */
const isSettled = ({ store }: Member): boolean => store.table("Namespace").sync._tag !== "Pending"

/**
 * Waits until the uid of a cluster is read, or cannot be read.
 *
 * **Limits** no deadline while the cluster tells nothing: it costs nothing then. {@link NAMESPACES_WAIT_MS} from the first pods.
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

/** Waits until the name leads to a cluster with another uid. A uid that cannot be read any more is no other. */
export const awaitOther = ({ store }: Member, uid: string | undefined): Effect.Effect<void> =>
  store.signal.until(() => store.systemNamespace.uid !== undefined && store.systemNamespace.uid !== uid)
