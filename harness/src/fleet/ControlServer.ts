/**
 * An HTTP server on the loopback address through which other processes on this machine control a fleet. It requires a
 * random bearer token, which only the fleet's `FleetConnection` contains.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Deferred, Effect, Fiber, FiberSet, Option, Redacted, type Scope } from "effect"
import type { HarnessError } from "../machine/HarnessError.ts"
import type { RunningFleet } from "./RunningFleet.ts"
import * as Loopback from "./Loopback.ts"
import { type Call, decodeCall, encodeReply, type Reply } from "./ControlProtocol.ts"

export interface ControlServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly token: Redacted.Redacted<string>
}

const TOKEN_BYTES = 32
const MAX_BODY_BYTES = 1024 * 1024
/** First bytes of the response to a `Hold`. Nothing follows while the fault lasts. */
export const HELD = "held\n"

/**
 * Serves a fleet until the scope closes.
 *
 * **Shape** `POST /` with a call as JSON. A call that changes a cluster runs to its end even if the client disconnects.
 * A held fault ends with its connection.
 *
 * **Errors** `MachineRefused` if it cannot listen.
 *
 * **Limits** listens only on 127.0.0.1; bodies up to 1 MiB.
 */
export const start = Effect.fn("ControlServer.start")(function* (
  fleet: RunningFleet
): Effect.fn.Return<ControlServer, HarnessError, Scope.Scope> {
  const token = Redacted.make(randomBytes(TOKEN_BYTES).toString("base64url"))
  const run = yield* FiberSet.makeRuntime()
  const held = new Map<string, Held>()

  const answer = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    if (!isAllowed(request, token)) return send(response, 401, "")
    if (request.method !== "POST") return send(response, 405, "")
    const text = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => bodyOf(request)),
      () => undefined
    )
    if (text === undefined) return send(response, 413, "")
    const call = yield* Effect.option(decodeCall(text))
    if (Option.isNone(call)) return send(response, 400, "")
    if (call.value._tag === "Hold") return yield* hold(fleet, { call: call.value, held, response })
    const reply = yield* Effect.uninterruptible(perform(fleet, held, call.value)).pipe(
      Effect.catchTag("HarnessError", (error) => Effect.succeed<Reply>({ _tag: "Failed", error }))
    )
    return send(response, 200, yield* Effect.orDie(encodeReply(reply)))
  })

  const server = createServer((request, response) => {
    const fiber = run(
      Effect.ensuring(
        answer(request, response),
        Effect.sync(() => void response.end())
      )
    )
    // A disconnecting client ends only its held fault. Other calls have been answered by then or are uninterruptible.
    response.once("close", () => run(Fiber.interrupt(fiber)))
  })
  const port = yield* Loopback.listen(server, "listen for control of the fleet")
  return { url: `http://127.0.0.1:${port}`, token }
})

/** An active fault: `heal` ends it, `healed` completes when it has ended. */
interface Held {
  readonly heal: Deferred.Deferred<void>
  readonly healed: Deferred.Deferred<void>
}

const DONE: Reply = { _tag: "Done" }

const perform = Effect.fnUntraced(function* (
  fleet: RunningFleet,
  held: ReadonlyMap<string, Held>,
  call: Exclude<Call, { readonly _tag: "Hold" }>
): Effect.fn.Return<Reply, HarnessError> {
  switch (call._tag) {
    case "Act":
      yield* (yield* fleet.cluster(call.cluster))[call.action]
      return DONE
    case "ActOnAll":
      yield* fleet[call.action]
      return DONE
    case "Save": {
      const saved = call.cluster === undefined ? fleet : yield* fleet.cluster(call.cluster)
      yield* saved.save(call.directory)
      return DONE
    }
    case "Logs":
      return { _tag: "Done", text: yield* (yield* fleet.cluster(call.cluster)).logs }
    case "Pid": {
      const pid = yield* (yield* fleet.cluster(call.cluster)).pid ?? Effect.succeedNone
      return Option.match(pid, { onNone: () => DONE, onSome: (pid) => ({ _tag: "Done", pid }) })
    }
    case "Heal": {
      const found = held.get(call.id)
      if (found === undefined) return DONE
      yield* Deferred.succeed(found.heal, undefined)
      yield* Deferred.await(found.healed)
      return DONE
    }
  }
})

/** Injects a fault until it is healed, the client disconnects, or the server stops. */
const hold = Effect.fnUntraced(function* (
  fleet: RunningFleet,
  {
    call,
    held,
    response
  }: {
    readonly call: Extract<Call, { readonly _tag: "Hold" }>
    readonly held: Map<string, Held>
    readonly response: ServerResponse
  }
) {
  const healed = yield* Deferred.make<void>()
  const failure = yield* Effect.gen(function* () {
    const heal = yield* Deferred.make<void>()
    yield* (yield* fleet.cluster(call.cluster)).inject(call.fault)
    held.set(call.id, { heal, healed })
    response.writeHead(200, { "content-type": "text/plain" })
    response.write(HELD)
    yield* Deferred.await(heal)
    return ""
  }).pipe(
    Effect.scoped,
    Effect.ensuring(
      Effect.andThen(
        Effect.sync(() => held.delete(call.id)),
        Deferred.succeed(healed, undefined)
      )
    ),
    Effect.catchTag("HarnessError", (error) => Effect.orDie(encodeReply({ _tag: "Failed", error })))
  )
  if (failure !== "") send(response, 200, failure)
})

const isAllowed = (request: IncomingMessage, token: Redacted.Redacted<string>): boolean => {
  const actual = Buffer.from(request.headers.authorization ?? "")
  const expected = Buffer.from(`Bearer ${Redacted.value(token)}`)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const send = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(body)
}

const bodyOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
