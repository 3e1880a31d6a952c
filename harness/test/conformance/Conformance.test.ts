/**
 * What a cluster of any driver does. A driver that fails here is not a Kubernetes cluster for those who use the harness.
 *
 * `docs/conformance.ts` makes the table of docs/harness.md from a run: its sections are those below.
 */
import { describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { find } from "../../src/drivers/control-plane/assets/Programs.ts"
import * as Version from "../../src/drivers/control-plane/assets/Version.ts"
import * as Drivers from "../../src/drivers/Drivers.ts"
import * as ControlPlane from "../../src/drivers/control-plane/ControlPlane.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { setting } from "../../src/machine/Machine.ts"
import { noProgram, sayLeftOut } from "../drivers/LeftOut.ts"
import { access } from "./Access.ts"
import { alive, kubelet, withNodes } from "./Alive.ts"
import { customResources } from "./CustomResources.ts"
import { faults } from "./Faults.ts"
import { CHILD, PARENT, VIEWER } from "./Fixture.ts"
import { helm } from "./Helm.ts"
import { informer } from "./Informer.ts"
import { kubectl } from "./Kubectl.ts"
import { kubectlAlive } from "./KubectlAlive.ts"
import { kubectlVerbs } from "./KubectlVerbs.ts"
import { lists } from "./Lists.ts"
import { objects } from "./Objects.ts"
import { outages } from "./Outages.ts"
import { resets, snapshots } from "./Resets.ts"
import { serviceAccounts } from "./ServiceAccounts.ts"
import { watches } from "./Watches.ts"

const { run } = await Effect.runPromise(Drivers.selected)
/**
 * Where a program is, none when its tests are left out: the machine lacks it, and `QUARTERDECK_REQUIRE` does not name it.
 * One that is demanded and missing fails its tests.
 */
const programNamed = Effect.fnUntraced(function* (name: "helm" | "kubectl") {
  const path = Option.map(yield* find(name), (found) => found.path)
  const required = new Set(((yield* setting("QUARTERDECK_REQUIRE")) ?? "").split(",").map((one) => one.trim()))
  return Option.orElse(path, () => (required.has(name) ? Option.some(name) : Option.none()))
})
const program = await Effect.runPromise(programNamed("kubectl"))
const helmProgram = await Effect.runPromise(programNamed("helm"))

/** Watch-list is on by default in 1.32, off in 1.33, and on again since. **Source** KEP-3157. */
const hasWatchList = (version: string | undefined): boolean =>
  Option.match(Option.flatMap(Option.fromUndefinedOr(version), Version.parse), {
    onNone: () => true,
    onSome: ({ minor }) => minor === 32 || minor >= 34
  })

/** What has no snapshot: a container's disk goes with it. */
const WITHOUT_SNAPSHOT = new Set(["k3s"])

/** Another release for the driver that has several: `pnpm conformance:1.33` names it. */
const VARIABLE = "QUARTERDECK_KUBERNETES"
const asked = await Effect.runPromise(setting(VARIABLE))

for (const driver of run) {
  const version = driver.name === ControlPlane.driver.name ? asked : undefined
  const release = version === undefined ? {} : { version }
  const plain = { driver, parent: PARENT, children: [CHILD], users: [{ name: VIEWER }], ...release }
  const started = { timeout: "2 minutes" } as const
  const name = `a cluster of the ${driver.name} driver`

  layer(Fleet.layer(plain), started)(name, (it) => {
    describe("objects", () => {
      objects(it)
    })
    describe("custom kinds", () => {
      customResources(it)
    })
    describe("lists", () => {
      lists(it)
    })
    describe("watches", () => {
      watches(it, hasWatchList(version))
    })
    describe("access", () => {
      access(it)
    })
    describe("service accounts", () => {
      serviceAccounts(it)
    })
    for (const path of Option.toArray(program)) {
      describe("kubectl", () => {
        kubectl(it, path)
        kubectlVerbs(it, path)
      })
    }
    for (const path of Option.toArray(helmProgram)) {
      describe("helm", () => {
        helm(it, path)
      })
    }
    describe("outages", () => {
      outages(it)
      informer(it)
    })
    describe("resets", () => {
      resets(it)
      if (!WITHOUT_SNAPSHOT.has(driver.name)) snapshots(it, (from) => Fleet.make({ ...plain, from }))
    })
  })

  // With faults too: what a cluster does it does behind them, and kubectl goes the way that clients of such a fleet go.
  const fleetWithNodes = Layer.tap(
    Fleet.layer({ driver, parent: PARENT, controllers: true, kubelet, faults: true, ...release }),
    (services) => withNodes(Context.get(services, Fleet).parent)
  )
  layer(fleetWithNodes, started)(name, (it) => {
    describe("controllers and kubelets", () => {
      alive(it)
    })
    for (const path of Option.toArray(program)) {
      describe("kubectl, where things roll out", () => {
        kubectlAlive(it, path)
      })
    }
    describe("faults", () => {
      faults(it)
    })
  })
}

for (const why of Option.isNone(helmProgram) ? [noProgram("helm")] : []) sayLeftOut(it, why)
