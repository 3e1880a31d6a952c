/** A fleet that a test suite borrows from the run's global setup. */
import { Effect, type Scope } from "effect"
import { type Dispatcher, request } from "undici"
import * as ControlClient from "../fleet/ControlClient.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"
import { HarnessError, InvalidFleet, MachineRefused } from "../machine/HarnessError.ts"
import { decodeLoan, type Loans } from "./FleetLoans.ts"

/** No timeout: a loan lasts as long as its response, and a borrower may wait long for its turn. */
const WITHOUT_DEADLINE = { headersTimeout: 0, bodyTimeout: 0 } as const

/** Borrows a fleet until the scope closes. Waits until earlier borrowers have returned it. */
export const borrow = Effect.fnUntraced(function* (
  loans: Loans | undefined,
  name: string
): Effect.fn.Return<RunningFleet, HarnessError, Scope.Scope> {
  if (loans === undefined) return yield* new HarnessError({ reason: new InvalidFleet({ problem: NO_FLEETS }) })
  const returned = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (returned) => Effect.sync(() => returned.abort())
  )
  const text = yield* Effect.tryPromise({
    try: async () => {
      const { body, statusCode } = await request(`${loans.url}/${encodeURIComponent(name)}`, {
        ...WITHOUT_DEADLINE,
        signal: returned.signal,
        headers: { authorization: `Bearer ${loans.token}` }
      })
      // The end of the loan aborts the response.
      body.on("error", () => undefined)
      return statusCode === 200 ? await firstLine(body) : ""
    },
    catch: unreachable
  })
  const loan = yield* decodeLoan(text).pipe(Effect.mapError(unreachable))
  if (loan._tag === "Refused") return yield* loan.error
  return yield* ControlClient.connect(loan.handle)
})

const firstLine = async (body: Dispatcher.ResponseData["body"]): Promise<string> => {
  let text = ""
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes("\n")) break
  }
  body.resume()
  return text
}

const unreachable = (cause: unknown) =>
  new HarnessError({ reason: new MachineRefused({ action: "borrow a fleet of the run", cause }) })

const NO_FLEETS =
  "no fleets are lent: name the file with lendFleets' setup in globalSetup of the vitest configuration: "
  + 'test: { globalSetup: "./fleets.setup.ts" }'
