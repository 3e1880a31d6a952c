import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
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
  it("are bounded by the maximum size, however large they are reported", () => {
    assert.deepStrictEqual(volumesOf([10, 2 ** 51, 2 ** 51 + 1024, 1e24, Number.POSITIVE_INFINITY]), {
      bytes: [10, 2 ** 51, 2 ** 51, 2 ** 51, 2 ** 51],
      large: 3
    })
  })

  it("have no bytes if the reported size is invalid", () => {
    assert.deepStrictEqual(volumesOf([Number.NaN, -5, 0]), { bytes: [0, 0, 0], large: 0 })
  })
})

const MINUTE = 60_000
const MINUTES = Array.from({ length: 60 }, (_, minute) => minute)

/** A series that had samples in some minutes of the hour. */
const during = (labels: Line["labels"], isIn: (minute: number) => boolean): Line => {
  const bits = new Map<number, number>()
  for (const minute of MINUTES.filter(isIn)) {
    const endMs = HOUR + (Math.floor(minute / 5) + 1) * 5 * MINUTE
    bits.set(endMs, (bits.get(endMs) ?? 0) | (1 << (((minute % 5) + 1) % 5)))
  }
  return { labels, points: Array.from(bits, ([atMs, value]) => ({ atMs, value })) }
}

const claimOf = (volumename: string, isIn: (minute: number) => boolean, claim = "data") =>
  during({ namespace: "shop", persistentvolumeclaim: claim, volumename, storageclass: "fast" }, isIn)
const volumeOf = (persistentvolume: string, isIn: (minute: number) => boolean) =>
  during({ persistentvolume, storageclass: "fast" }, isIn)
const sized = (labels: Line["labels"], value: number): Line => ({
  labels,
  points: [{ atMs: HOUR + 60 * MINUTE, value }]
})

/** Minutes from the start of the hour, by claim (or none) and volume. */
const minutesOf = ({ volumes }: ReturnType<typeof StorageOfHour.volumes>) =>
  volumes.map(({ bytes, claim, name, spans }) => [
    `${claim}/${name}`,
    bytes,
    ...spans.map(({ fromMs, toMs }) => [(fromMs - HOUR) / MINUTE, (toMs - HOUR) / MINUTE])
  ])

describe("volumes that lose their claim within an hour from Prometheus", () => {
  it("count as unmounted for the rest of their hour", () => {
    const found = StorageOfHour.volumes(
      {
        claims: [claimOf("pv-1", (minute) => minute < 20)],
        volumes: [volumeOf("pv-1", (minute) => minute < 50)],
        claimBytes: [sized({ namespace: "shop", persistentvolumeclaim: "data" }, 10)],
        volumeBytes: [sized({ persistentvolume: "pv-1" }, 12)]
      },
      HOUR,
      () => true
    )
    assert.deepStrictEqual(minutesOf(found), [
      ["data/pv-1", 10, [0, 20]],
      ["/pv-1", 12, [20, 50]]
    ])
  })

  it("count beside the volume of the next claim of the same name, each with its own size", () => {
    const found = StorageOfHour.volumes(
      {
        claims: [claimOf("pv-2", (minute) => minute >= 20 && minute < 23), claimOf("pv-1", (minute) => minute < 20)],
        volumes: [volumeOf("pv-1", () => true), volumeOf("pv-2", (minute) => minute >= 20 && minute < 23)],
        claimBytes: [sized({ namespace: "shop", persistentvolumeclaim: "data" }, 11)],
        volumeBytes: [sized({ persistentvolume: "pv-1" }, 10), sized({ persistentvolume: "pv-2" }, 20)]
      },
      HOUR,
      () => true
    )
    assert.deepStrictEqual(minutesOf(found), [
      ["data/pv-1", 10, [0, 20]],
      ["data/pv-2", 20, [20, 23]],
      ["/pv-1", 10, [20, 60]]
    ])
  })

  const Stretch = Schema.Struct({
    volume: Schema.Literals(["pv-1", "pv-2"]),
    claim: Schema.Literals(["a", "b"]),
    from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
  })

  it.prop(
    "count for each minute of theirs once, whichever claims had them",
    [Schema.Array(Stretch).check(Schema.isMaxLength(6)), Schema.Array(Stretch).check(Schema.isMaxLength(2))],
    ([claims, volumes]) => {
      const isIn =
        ({ from, length }: typeof Stretch.Type) =>
        (minute: number) =>
          minute >= from && minute < from + length
      const found = StorageOfHour.volumes(
        {
          claims: claims.map((one) => claimOf(one.volume, isIn(one), one.claim)),
          volumes: volumes.map((one) => volumeOf(one.volume, isIn(one))),
          claimBytes: [],
          volumeBytes: []
        },
        HOUR,
        () => true
      )
      for (const name of ["pv-1", "pv-2"]) {
        const own = found.volumes.filter((volume) => volume.name === name)
        const counted = own.flatMap(({ spans }) => spans.map(({ fromMs, toMs }) => (toMs - fromMs) / MINUTE))
        const there = MINUTES.filter((minute) =>
          [...claims, ...volumes].some((one) => one.volume === name && isIn(one)(minute))
        )
        assert.strictEqual(
          counted.reduce((sum, minutes) => sum + minutes, 0),
          there.length
        )
      }
    }
  )
})
