/** Says on a container or a network which process owns it, so that what a dead one left can be told from what lives. */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Effect } from "effect"
import * as Owner from "../../machine/Owner.ts"

/** Set on everything that the harness makes; its value is the {@link ownName}. */
export const OWNER_LABEL = "io.quarterdeck.harness.owner"
/** One value for everything that this process makes. */
export const RUN_LABEL = "io.quarterdeck.harness.run"
/** The cluster's name, for people who look at `docker ps`. */
export const CLUSTER_LABEL = "io.quarterdeck.harness.cluster"
/** Set on the image that the harness builds; its value tells what it was built from. */
export const SHAPED_LABEL = "io.quarterdeck.harness.k3s-shaped"

const RUN = randomBytes(6).toString("hex")

/**
 * Names this run of this process: `<host>/<process>_<start>_<namespace>`.
 *
 * It has the host too, because one engine may serve several machines, whose processes have the same numbers.
 */
const ownName = async (): Promise<string> => `${hostname()}/${Owner.print(await Owner.self())}`

/** The labels of something that this process owns. */
export const labels: Effect.Effect<Readonly<Record<string, string>>> = Effect.promise(async () => ({
  [OWNER_LABEL]: await ownName(),
  [RUN_LABEL]: RUN
}))

/** A name that no other run takes: `quarterdeck-<run>-<random>`. */
export const freshName: Effect.Effect<string> = Effect.sync(
  () => `quarterdeck-${RUN}-${randomBytes(4).toString("hex")}`
)

/**
 * Tells whether the owner that a label names has ended.
 *
 * **Limits** false for owners on other machines and in other process namespaces: they cannot be seen from here.
 */
export const isDead = (label: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const owner = label.startsWith(`${hostname()}/`) ? Owner.parse(label) : undefined
    return owner !== undefined && (await Owner.stateOf(owner)) === "dead"
  })
