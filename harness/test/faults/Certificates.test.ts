import { assert, describe, it } from "@effect/vitest"
import { X509Certificate } from "node:crypto"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { client, CONFIG_MAPS, faulty, outcome } from "./Fixture.ts"

const version = (place: { readonly server: string; readonly caPem: string }) =>
  Effect.scoped(Effect.flatMap(client(place), (through) => outcome(() => through.ask("/version"))))

describe("the proxy's certificate", () => {
  it.live("holds for every loopback name, and not by the cluster's authority", () =>
    Effect.gen(function* () {
      const { cluster, faults } = yield* faulty()
      const port = new URL(faults.server).port
      assert.strictEqual(yield* version(faults), 200)
      assert.strictEqual(yield* version({ ...faults, server: `https://localhost:${port}` }), 200)
      assert.include(
        ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN"],
        yield* version({ ...faults, caPem: cluster.caPem })
      )
      assert.isTrue(new X509Certificate(faults.caPem).ca)
    }).pipe(Effect.scoped)
  )

  for (const [problem, code] of [
    ["expired", "CERT_HAS_EXPIRED"],
    ["notYetValid", "CERT_NOT_YET_VALID"],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["unknownAuthority", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]
  ] as const) {
    it.live(`${problem}: clients that were connected are reset and refuse it; healed, they connect`, () =>
      Effect.gen(function* () {
        const { faults } = yield* faulty()
        const through = yield* client(faults)
        const watching = yield* through.watch(`${CONFIG_MAPS}?watch=true`)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* faults.inject(Fault.staleCertificate({ problem }))
            yield* eventually("the watch is reset", Effect.sync(watching.ended), (ended) => ended === "ECONNRESET")
            assert.strictEqual(yield* outcome(() => through.ask("/version")), code)
            assert.strictEqual((yield* faults.counters).requests.get("get path"), undefined)
          })
        )
        assert.strictEqual(yield* outcome(() => through.ask("/version")), 200)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is the last one that a fault asked for", () =>
    Effect.gen(function* () {
      const { faults } = yield* faulty()
      yield* faults.inject(Fault.staleCertificate())
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.staleCertificate({ problem: "wrongHost" }))
          assert.strictEqual(yield* version(faults), "ERR_TLS_CERT_ALTNAME_INVALID")
        })
      )
      assert.strictEqual(yield* version(faults), "CERT_HAS_EXPIRED")
    }).pipe(Effect.scoped)
  )
})
