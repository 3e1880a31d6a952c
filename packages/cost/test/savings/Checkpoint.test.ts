import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { ContainerUsage } from "../../src/savings/HourUsage.ts"
import * as DecayingHistogram from "../../src/savings/DecayingHistogram.ts"
import { decode, UnreadableCheckpoint, write, writer } from "../../src/savings/Checkpoint.ts"
import * as WorkloadHistory from "../../src/savings/WorkloadHistory.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { MIB, monday, used } from "./usage.ts"

const firstHour = monday / HOUR_MS

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const AnyRow = Schema.Struct({
  hour: upTo(8 * 24 - 1),
  container: Schema.Literals(["main", "proxy", "ü-漢"]),
  replica: upTo(5),
  millis: upTo(40_000),
  mebibytes: upTo(90_000)
})
const AnyRows = Schema.Array(AnyRow).check(Schema.isMinLength(1), Schema.isMaxLength(80))

const rowOf = ({ container, mebibytes, millis, replica }: typeof AnyRow.Type): ContainerUsage =>
  used("api", {
    container,
    replica: `pod-${replica}`,
    cpuMillis: [millis],
    memoryPeakBytes: mebibytes * MIB
  })

const historyOf = (rows: ReadonlyArray<typeof AnyRow.Type>): WorkloadHistory.WorkloadHistory => {
  const hours = Map.groupBy(
    rows.toSorted((a, b) => a.hour - b.hour),
    ({ hour }) => hour
  )
  const history = WorkloadHistory.make(firstHour + Math.min(...hours.keys()))
  for (const [hour, some] of hours) WorkloadHistory.fold(history, firstHour + hour, some.map(rowOf))
  return history
}

const assertAlike = (a: DecayingHistogram.DecayingHistogram, b: DecayingHistogram.DecayingHistogram) => {
  const greatest = Math.max(0, ...b.weights)
  const weightOf = (histogram: DecayingHistogram.DecayingHistogram, bucket: number) =>
    (histogram.weights[bucket - histogram.first] ?? 0) * 2 ** ((histogram.referenceMs - b.referenceMs) / 86_400_000)
  for (let bucket = 0; bucket < 176; bucket++) {
    assert.approximately(weightOf(a, bucket), weightOf(b, bucket), greatest * 1e-4 + 1e-3)
  }
}

const encode = (history: WorkloadHistory.WorkloadHistory): Uint8Array<ArrayBuffer> => {
  const into = writer(1_024)
  write(into, history)
  return into.bytes.slice(0, into.at)
}

const readBack = (history: WorkloadHistory.WorkloadHistory) => Result.getOrThrow(decode(encode(history)))

describe("a checkpoint", () => {
  it.prop("gives back the history, each weight to a part of the greatest", [AnyRows], ([rows]) => {
    const history = historyOf(rows)
    const again = readBack(history)
    assert.deepStrictEqual(again.hours, history.hours)
    assert.deepStrictEqual(
      again.containers.map(({ lastHour, name, peaks }) => ({ lastHour, name, peaks })),
      history.containers.map(({ lastHour, name, peaks }) => ({ lastHour, name, peaks }))
    )
    for (const [at, container] of again.containers.entries()) {
      const original = history.containers[at]
      assert(original !== undefined)
      assertAlike(container.cpu, original.cpu)
      assertAlike(container.memory, original.memory)
    }
  })

  it.prop("written again is the same bytes", [AnyRows], ([rows]) => {
    const bytes = encode(historyOf(rows))
    assert.deepStrictEqual(encode(Result.getOrThrow(decode(bytes))), bytes)
  })

  it.prop("of two halves merges to that of the whole", [AnyRows, AnyRows], ([ours, theirs]) => {
    const rename = (rows: typeof ours, by: number) => rows.map((row) => ({ ...row, replica: row.replica + by }))
    const merged = readBack(historyOf(ours))
    WorkloadHistory.merge(merged, readBack(historyOf(rename(theirs, 10))))
    const whole = historyOf([...ours, ...rename(theirs, 10)])
    assert.deepStrictEqual(merged.hours, whole.hours)
    for (const { cpu, lastHour, memory, name, peaks } of whole.containers) {
      const found = merged.containers.find((one) => one.name === name)
      assert(found !== undefined)
      assert.strictEqual(found.lastHour, lastHour)
      assert.deepStrictEqual(found.peaks, peaks)
      assertAlike(found.cpu, cpu)
      assertAlike(found.memory, memory)
    }
  })

  it("counts a replica that both halves saw on one day once", () => {
    const row = { hour: 3, container: "main", replica: 1, millis: 100, mebibytes: 700 } as const
    const merged = historyOf([row])
    WorkloadHistory.merge(merged, historyOf([{ ...row, hour: 4, mebibytes: 900 }]))
    const whole = historyOf([row, { ...row, hour: 4, mebibytes: 900 }])
    const [container] = merged.containers
    assert(container !== undefined && whole.containers[0] !== undefined)
    assert.deepStrictEqual(container.memory.weights, whole.containers[0].memory.weights)
  })

  it("takes about 150 bytes for a container with three replicas, and 2,020 and its name at most", () => {
    const days = Array.from({ length: 9 * 24 }, (_, hour) => hour)
    const wave = (hour: number) => 300 + 200 * Math.sin((hour / 12) * Math.PI)
    const steady = WorkloadHistory.make(firstHour)
    const wild = WorkloadHistory.make(firstHour)
    for (const hour of days) {
      const replicas = ["a", "b", "c"].map((replica) =>
        used("api", { replica, cpuMillis: [wave(hour)], memoryPeakBytes: (700 + (hour % 5)) * MIB })
      )
      WorkloadHistory.fold(steady, firstHour + hour, replicas)
      const many = Array.from({ length: 400 }, (_, replica) =>
        used("api", {
          replica: `pod-${replica}`,
          cpuMillis: [1.06 ** (replica % 250) * 5],
          memoryPeakBytes: 1.06 ** (replica % 250) * 5e6
        })
      )
      WorkloadHistory.fold(wild, firstHour + hour, many)
    }
    assert.isBelow(encode(steady).length, 200)
    assert.isAtMost(encode(wild).length, 31 + 2_020 + "main".length)
    assert.isAbove(encode(wild).length, 1_500)
  })

  it("stands where the writer stood, one after the other", () => {
    const into = writer(8)
    const first = historyOf([{ hour: 1, container: "main", replica: 1, millis: 100, mebibytes: 9 }])
    const second = historyOf([{ hour: 7, container: "proxy", replica: 2, millis: 9, mebibytes: 1_000 }])
    write(into, first)
    const middle = into.at
    write(into, second)
    assert.deepStrictEqual(into.bytes.slice(0, middle), encode(first))
    assert.deepStrictEqual(into.bytes.slice(middle, into.at), encode(second))
    assert.deepStrictEqual(Result.getOrThrow(decode(into.bytes.subarray(middle, into.at))), readBack(second))
  })

  it("of another version is refused as such", () => {
    const bytes = encode(historyOf([{ hour: 1, container: "main", replica: 1, millis: 100, mebibytes: 9 }]))
    bytes[0] = 2
    assert.deepStrictEqual(decode(bytes), Result.fail(new UnreadableCheckpoint({ problem: "version" })))
    assert.deepStrictEqual(decode(new Uint8Array()), Result.fail(new UnreadableCheckpoint({ problem: "version" })))
  })

  it.prop(
    "that is damaged is refused or read as some history",
    [AnyRows, upTo(5_000), upTo(255)],
    ([rows, at, byte]) => {
      const bytes = encode(historyOf(rows))
      assert(Result.isFailure(decode(bytes.subarray(0, bytes.length - 1 - (at % (bytes.length - 1))))))
      assert(Result.isFailure(decode(new Uint8Array([...bytes, 0]))))
      bytes[1 + (at % (bytes.length - 1))] = byte
      const read = decode(bytes)
      if (Result.isFailure(read)) return
      for (const { cpu, memory } of read.success.containers) {
        assert([...cpu.weights, ...memory.weights].every((weight) => Number.isFinite(weight) && weight >= 0))
        assert.isAtMost(cpu.first + cpu.weights.length, 176)
      }
    }
  )
})
