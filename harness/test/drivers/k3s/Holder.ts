/** A program that starts a cluster in a container, prints its server, and holds it until its input ends. */
import { Console, Effect } from "effect"
import * as K3s from "../../../src/drivers/k3s/K3s.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"

const { parent } = await Fleet.start({ driver: K3s.driver, parent: "held" })
await Effect.runPromise(Console.log(parent.server))
// Nothing else keeps the process: the cluster is none of its children.
process.stdin.resume()
