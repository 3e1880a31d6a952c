/**
 * A program that starts fleets: `Holder.ts <driver> once` holds one until its input ends, `... forever` starts and ends
 * one after the other. It prints `ready <server>` for each.
 */
import { Console, Effect } from "effect"
import { Fleet } from "../../src/fleet/Fleet.ts"
import * as Drivers from "../../src/drivers/Drivers.ts"

const [name = "", how = ""] = process.argv.slice(2)

const driver = Drivers.all.find((known) => known.name === name)
if (driver === undefined) throw new Error(`there is no driver ${name}`)

const inputEnds = Effect.callback<void>((resume) => {
  process.stdin.once("end", () => resume(Effect.void))
  process.stdin.resume()
})

const held = Effect.gen(function* () {
  const fleet = yield* Fleet.make({ driver, parent: "hub", children: ["eu"] })
  yield* Console.log(`ready ${fleet.parent.server}`)
  if (how === "once") yield* inputEnds
}).pipe(Effect.scoped)

await Effect.runPromise(how === "once" ? held : Effect.forever(held))
