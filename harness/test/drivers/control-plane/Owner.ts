/** A program that starts a cluster, prints the number of its server's process, and waits to be killed. */
import { Console, Effect, Option } from "effect"
import * as ControlPlane from "../../../src/drivers/control-plane/ControlPlane.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"

const { fleet } = await Fleet.start({ driver: ControlPlane.driver, parent: "orphan" })
const pid = await Effect.runPromise(fleet.parent.pid ?? Effect.succeedNone)
await Effect.runPromise(Console.log(Option.getOrElse(pid, () => "none")))
