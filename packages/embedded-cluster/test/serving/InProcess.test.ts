/** Calls of an embedded server without a connection. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { WireCall } from "../../src/serving/InProcess.ts"
import { ADMIN, configMap, started } from "../Client.ts"

const MAPS = "/api/v1/namespaces/default/configmaps"
const JSON_TYPE = "application/json"

const asked = (
  method: WireCall["method"],
  path: string,
  { body, token = ADMIN }: { body?: object; token?: string }
) => ({
  method,
  path,
  headers: {
    authorization: `Bearer ${token}`,
    accept: JSON_TYPE,
    ...(body === undefined ? {} : { "content-type": JSON_TYPE })
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

describe("a call within the process", () => {
  it.live("is answered, counted and logged as over a connection, without opening one", () =>
    Effect.gen(function* () {
      const { call, server } = yield* started()
      const made = yield* server.answer(asked("POST", MAPS, { body: configMap("a") }))
      assert.deepStrictEqual(
        Option.map(made, ({ status }) => status),
        Option.some(201)
      )
      const { connectionsAccepted, requests } = yield* server.counters
      assert.strictEqual(connectionsAccepted, 0)
      assert.strictEqual(requests.get("create configmaps"), 1)
      assert.include(yield* server.logs, `POST ${MAPS} 201`)
      for (const [path, token] of [
        [MAPS, ADMIN],
        [`${MAPS}/a`, ADMIN],
        [`${MAPS}/b`, ADMIN],
        [MAPS, "nobody"],
        ["/openapi/v3", ADMIN]
      ] as const) {
        const over = yield* call("GET", path, { token })
        const within = yield* server.answer(asked("GET", path, { token }))
        const { headers, status, text } = Option.getOrThrow(within)
        assert.deepStrictEqual([status, headers["content-type"], text], [over.status, over.type, over.text], path)
      }
    })
  )

  it.live("is not answered for watches, long bodies and a stopped server", () =>
    Effect.gen(function* () {
      const { server } = yield* started()
      const long = { ...configMap("long"), data: { key: "x".repeat(600_000) } }
      assert.isTrue(Option.isNone(yield* server.answer(asked("GET", `${MAPS}?watch=1`, {}))))
      assert.isTrue(Option.isNone(yield* server.answer(asked("POST", MAPS, { body: long }))))
      yield* server.kill
      assert.isTrue(Option.isNone(yield* server.answer(asked("GET", MAPS, {}))))
      yield* server.restart
      assert.isTrue(Option.isSome(yield* server.answer(asked("GET", MAPS, {}))))
    })
  )
})
