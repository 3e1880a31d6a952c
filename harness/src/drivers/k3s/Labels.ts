/** Labels of containers and networks with their owner, so that leftovers of dead processes can be identified. */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Effect } from "effect"
import * as Owner from "../../machine/Owner.ts"

/** Set on everything that the harness creates. Its value is the {@link ownName}. */
export const OWNER_LABEL = "io.quarterdeck.harness.owner"
/** The same value for everything that this process creates. */
export const RUN_LABEL = "io.quarterdeck.harness.run"
/** Name of the cluster, for `docker ps`. */
export const CLUSTER_LABEL = "io.quarterdeck.harness.cluster"
/** Set on the image that the harness builds. Its value is a digest of the image's files. */
export const SHAPED_LABEL = "io.quarterdeck.harness.k3s-shaped"

const RUN = randomBytes(6).toString("hex")

/**
 * Returns the owner name of this process: `<host>/<process>_<start>_<namespace>`.
 *
 * It includes the host, because one engine may serve several machines with the same process numbers.
 */
const ownName = async (): Promise<string> => `${hostname()}/${Owner.print(await Owner.self())}`

/** Returns the labels for a container or network of this process. */
export const labels: Effect.Effect<Readonly<Record<string, string>>> = Effect.promise(async () => ({
  [OWNER_LABEL]: await ownName(),
  [RUN_LABEL]: RUN
}))

/** Returns a name unique to this run: `quarterdeck-<run>-<random>`. */
export const freshName: Effect.Effect<string> = Effect.sync(
  () => `quarterdeck-${RUN}-${randomBytes(4).toString("hex")}`
)

/**
 * Returns whether the owner in a label is dead.
 *
 * **Limits** false for owners on other machines and in other process namespaces, whose state is unknown here.
 */
export const isDead = (label: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const owner = label.startsWith(`${hostname()}/`) ? Owner.parse(label) : undefined
    return owner !== undefined && (await Owner.stateOf(owner)) === "dead"
  })
