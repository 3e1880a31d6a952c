import { assert, describe, it } from "@effect/vitest"
import type { Line } from "../../src/usage/prometheus/Answer.ts"
import * as StorageOfHour from "../../src/usage/prometheus/StorageOfHour.ts"

const HOUR = Date.parse("2026-03-02T10:00:00Z")

/** The volumes of claims of some bytes, as Prometheus tells them. */
const volumesOf = (bytes: ReadonlyArray<number>) => {
  const claims = bytes.map((_, index): Line => ({
    labels: { namespace: "shop", persistentvolumeclaim: `c-${index}`, volumename: `pv-${index}`, storageclass: "nfs" },
    // All minutes of the third slice of five.
    points: [{ atMs: HOUR + 15 * 60_000, value: 31 }]
  }))
  const claimBytes = claims.map(({ labels }, index): Line => ({
    labels,
    points: [{ atMs: HOUR + 3_600_000, value: bytes[index] ?? 0 }]
  }))
  const { large, volumes } = StorageOfHour.volumes(
    { claims, claimBytes, volumes: [], volumeBytes: [] },
    HOUR,
    () => true
  )
  return { large, bytes: volumes.map((one) => one.bytes) }
}

describe("the volumes of an hour from Prometheus", () => {
  it("are as large as they may count, however large they are told to be", () => {
    assert.deepStrictEqual(volumesOf([10, 2 ** 51, 2 ** 51 + 1024, 1e24, Number.POSITIVE_INFINITY]), {
      bytes: [10, 2 ** 51, 2 ** 51, 2 ** 51, 2 ** 51],
      large: 3
    })
  })

  it("have no bytes where what is told is no size", () => {
    assert.deepStrictEqual(volumesOf([Number.NaN, -5, 0]), { bytes: [0, 0, 0], large: 0 })
  })
})
