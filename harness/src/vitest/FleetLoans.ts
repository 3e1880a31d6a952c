/**
 * Lends fleets to one borrower at a time. A fleet starts with its first loan, is reset between borrowers and stops
 * after a minute without a loan.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect, Fiber, FiberSet, RcRef, Schema, type Scope, Semaphore } from "effect"
import * as ControlServer from "../fleet/ControlServer.ts"
import { Fleet, type FleetOptions } from "../fleet/Fleet.ts"
import * as FleetConnection from "../fleet/FleetConnection.ts"
import * as Loopback from "../fleet/Loopback.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import { restore } from "./TestFleet.ts"

/** Address and token of the server that lends fleets. */
export interface Loans {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly token: string
}

/** The first line of a response. The loan lasts until the response ends. */
const Loan = Schema.Union([
  Schema.TaggedStruct("Lent", { handle: FleetConnection.FleetConnection }),
  Schema.TaggedStruct("Refused", { error: HarnessError })
])
const encodeLoan = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Loan)))
export const decodeLoan = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Loan)))

/**
 * Idle time after which a fleet stops. Starting it again costs about as much processor time as keeping it idle this
 * long.
 */
const IDLE_FOR = "60 seconds"
const TOKEN_BYTES = 32

/** Serves fleets by name until the scope closes. **Errors** `MachineRefused`. */
export const serve = Effect.fnUntraced(function* (
  fleets: Readonly<Record<string, FleetOptions>>
): Effect.fn.Return<Loans, HarnessError, Scope.Scope> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url")
  const lenders = new Map<string, Lender>()
  for (const [name, options] of Object.entries(fleets)) lenders.set(name, yield* lender(options))
  const run = yield* FiberSet.makeRuntime()
  const server = createServer((request, response) => {
    const lend = lenders.get(decodeURIComponent((request.url ?? "/").slice(1)))
    if (!isAllowed(request, token)) return void response.writeHead(401).end()
    const fiber = run(lend === undefined ? answer(response, unknown(fleets)) : lend(response))
    response.once("close", () => run(Fiber.interrupt(fiber)))
  })
  const port = yield* Loopback.listen(server, "listen for loans of fleets")
  return { url: `http://127.0.0.1:${port}`, token }
})

/** Lends one fleet for as long as the response stays open. */
type Lender = (response: ServerResponse) => Effect.Effect<void>

const lender = Effect.fnUntraced(function* (options: FleetOptions): Effect.fn.Return<Lender, never, Scope.Scope> {
  const turn = yield* Semaphore.make(1)
  const started = yield* RcRef.make({ acquire: start(options), idleTimeToLive: IDLE_FOR })
  // If the reset fails, the fleet is stopped and the next borrower gets a new one.
  const putBack = (fleet: Fleet["Service"]) => Effect.catchCause(restore(fleet), () => RcRef.invalidate(started))
  const lend = Effect.fnUntraced(function* (response: ServerResponse) {
    const { fleet, handle } = yield* RcRef.get(started)
    yield* Effect.ensuring(Effect.andThen(answer(response, { _tag: "Lent", handle }), Effect.never), putBack(fleet))
  }, Effect.scoped)
  return (response) =>
    turn.withPermit(lend(response)).pipe(
      Effect.catchTag("HarnessError", (error) =>
        Effect.andThen(
          answer(response, { _tag: "Refused", error }),
          Effect.sync(() => void response.end())
        )
      )
    )
})

const start = Effect.fnUntraced(function* (options: FleetOptions) {
  const { addresses, driver } = FleetConnection.recordAddresses(options.driver)
  const fleet = yield* Fleet.make({ ...options, driver })
  yield* fleet.checkpoint
  const control = yield* ControlServer.start(fleet)
  const users = (options.users ?? []).map(({ name }) => name)
  return { fleet, handle: yield* FleetConnection.of(fleet, { control, addresses, users }) }
})

const unknown = (fleets: Readonly<Record<string, FleetOptions>>): typeof Loan.Type => {
  const problem = `no fleet of that name is lent; available: ${Object.keys(fleets).join(", ")}`
  return { _tag: "Refused", error: new HarnessError({ reason: new InvalidFleet({ problem }) }) }
}

const answer = (response: ServerResponse, loan: typeof Loan.Type): Effect.Effect<void> =>
  Effect.map(Effect.orDie(encodeLoan(loan)), (text) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.write(`${text}\n`)
  })

const isAllowed = (request: IncomingMessage, token: string): boolean => {
  const actual = Buffer.from(request.headers.authorization ?? "")
  const expected = Buffer.from(`Bearer ${token}`)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
