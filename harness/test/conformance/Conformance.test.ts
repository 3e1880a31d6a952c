/**
 * What a cluster of any driver does. A driver that fails here is not a Kubernetes cluster for those who use the harness.
 */
import { layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { find } from "../../src/assets/Programs.ts"
import * as Drivers from "../../src/Drivers.ts"
import { Fleet } from "../../src/Fleet.ts"
import { access } from "./Access.ts"
import { CHILD, PARENT, VIEWER } from "./Fixture.ts"
import { kubectl } from "./Kubectl.ts"
import { lists } from "./Lists.ts"
import { objects } from "./Objects.ts"
import { outages } from "./Outages.ts"
import { watches } from "./Watches.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const program = await Effect.runPromise(find("kubectl"))

for (const driver of run) {
  const fleet = Fleet.layer({ driver, parent: PARENT, children: [CHILD], users: [{ name: VIEWER }] })
  layer(fleet, { timeout: "2 minutes" })(`a cluster of the ${driver.name} driver`, (it) => {
    objects(it)
    lists(it)
    watches(it)
    access(it)
    outages(it)
    if (Option.isSome(program)) kubectl(it, program.value.path)
  })
}
