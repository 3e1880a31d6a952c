/** Starts a fleet, prints how to use it, and keeps it running until this process is interrupted. */
import { DateTime, Effect, Option } from "effect"
import * as ControlServer from "../fleet/ControlServer.ts"
import * as FleetConnection from "../fleet/FleetConnection.ts"
import { Fleet } from "../fleet/Fleet.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import * as Seed from "../simulation/seed/Seed.ts"
import * as Usage from "../simulation/usage/Usage.ts"
import { failed, fromError } from "./CommandFailure.ts"
import type { DriverName } from "./DriverName.ts"
import { exportLine } from "./ExportLine.ts"
import * as FleetView from "./FleetView.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as PlacedKubeconfig from "./PlacedKubeconfig.ts"
import * as NamedDriver from "./NamedDriver.ts"
import * as Print from "./Print.ts"

export interface HoldOptions {
  readonly driver: DriverName
  readonly parent: string
  readonly children: ReadonlyArray<string>
  readonly seed: "tiny" | "small" | "medium" | "large" | undefined
  readonly faults: boolean
  readonly controllers: boolean
  readonly kubelet: boolean
  readonly usage: boolean
  readonly name: string
  readonly kubeconfig: string | undefined
}

/** Holds a fleet until this effect is interrupted, then takes the fleet down. */
export const hold = Effect.fnUntraced(
  function* (options: HoldOptions) {
    const claimed = yield* HeldFleet.claim(options.name)
    if (Option.isNone(claimed)) {
      const holding = Option.getOrUndefined(yield* HeldFleet.find(options.name))
      const holder = holding === undefined ? "" : ` by process ${holding.owner.pid}`
      return yield* failed(`the fleet ${options.name} is already held${holder}; choose another --name, or take it down`)
    }
    const files = claimed.value
    const place = options.driver === "existing" ? undefined : options.kubeconfig
    // Checked before the clusters start, which may take a minute.
    if (place !== undefined) yield* PlacedKubeconfig.check(place)
    const named = yield* NamedDriver.get(options.driver, options.kubeconfig)
    const { addresses, driver } = FleetConnection.recordAddresses(named.driver)

    yield* Print.line(`starting ${[options.parent, ...options.children].join(", ")} on ${driver.name}`)
    const { children, controllers, faults, kubelet, parent } = options
    const fleet = yield* Fleet.make({ driver, parent, children, controllers, faults, kubelet })
    if (options.seed !== undefined) {
      yield* Print.line(`seeding ${options.seed}`)
      yield* Seed.fill(fleet, { size: options.seed, pods: podsOf(options) })
    }
    if (kubelet) yield* noteMissingNodes(fleet)
    if (options.usage) {
      yield* Effect.forEach(fleet.clusters, (cluster) => Usage.serve(cluster), { concurrency: "unbounded" })
    }

    const control = yield* ControlServer.start(fleet)
    if (place !== undefined) yield* PlacedKubeconfig.write(place, fleet.kubeconfig, files.placed)
    yield* HeldFleet.publish(files, fleet.kubeconfig, {
      driver: driver.name,
      readyAt: DateTime.formatIso(yield* DateTime.now),
      handle: yield* FleetConnection.of(fleet, { control, addresses, users: [] })
    })
    yield* Print.line(exportLine(place ?? files.kubeconfig))
    yield* Effect.forEach(fleet.clusters, ({ name }) =>
      Print.line(`kubectl --context ${Print.shellWord(name)} get all --all-namespaces`)
    )
    return yield* FleetView.show(fleet, named.requests)
  },
  Effect.scoped,
  Effect.catchTags({
    HarnessError: (error) => Effect.fail(fromError(error)),
    ApiError: (error) => Effect.fail(fromError(error)),
    MachineRefused: (error) => Effect.fail(fromError(error)),
    NotYet: (error) => Effect.fail(fromError(error))
  })
)

/** Returns how a seed creates pods, depending on the controllers and kubelets of the cluster. */
const podsOf = ({ controllers, driver, kubelet }: HoldOptions): Seed.PodMode => {
  if (controllers || HAVE_CONTROLLERS.has(driver)) return "none"
  return kubelet ? "bound" : "reported"
}

const HAVE_CONTROLLERS = new Set<HoldOptions["driver"]>(["k3s", "existing"])

/**
 * Prints a note for clusters without nodes: the fake kubelet creates none. Skips clusters that forbid listing nodes.
 */
const noteMissingNodes = Effect.fnUntraced(function* (fleet: RunningFleet) {
  const bare = yield* Effect.filter(fleet.clusters, ({ api }) =>
    api.list({ apiVersion: "v1", kind: "Node", limit: 1 }).pipe(
      Effect.map(({ items }) => items.length === 0),
      Effect.orElseSucceed(() => false)
    )
  )
  if (bare.length === 0) return
  const names = bare.map(({ name }) => name).join(", ")
  yield* Print.note(`no nodes in ${names}: pods stay Pending; use --seed or create nodes`)
})
