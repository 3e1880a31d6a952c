/**
 * Encodes the usage history of a workload as bytes, and decodes it.
 *
 * Format version 1, little-endian: version u8; newest hour u32; recent hours 6 x u32; number of containers u16. Per container:
 * name length u16, name in UTF-8; newest hour u32; histograms of CPU and memory; day of peaks i32; number of replicas u16; per
 * replica its number u32 and bucket u8. Per histogram: reference u16 (days since the epoch), first bucket u8, number of
 * buckets u8. If there are buckets, the greatest weight f64 follows, then each weight u16 as a fraction of the greatest.
 *
 * **Limits** at most 2,020 bytes plus the name per container, and 31 bytes for the rest. A container with three replicas takes
 * about 150. Weights below 1/131,070 of the greatest become 0.
 */
import { Result, Schema } from "effect"
import * as DecayingHistogram from "./DecayingHistogram.ts"
import * as ContainerHistory from "./ContainerHistory.ts"
import { MAX_REPLICAS } from "./DailyPeaks.ts"
import { REACH_HOURS } from "./RecentHours.ts"
import type { WorkloadHistory } from "./WorkloadHistory.ts"

const VERSION = 1
const GREATEST = 65_535
const WORDS = REACH_HOURS / 32

/** A checkpoint could not be decoded: it has another version, or it is damaged. */
export class UnreadableCheckpoint extends Schema.TaggedError<UnreadableCheckpoint>()("UnreadableCheckpoint", {
  problem: Schema.Literals(["version", "damaged"])
}) {
  override get message(): string {
    return this.problem === "version" ? "a checkpoint of another version" : "a damaged checkpoint"
  }
}

/** Buffer to which checkpoints are appended. **Shape** `bytes` is replaced by a longer copy when full. */
export interface Writer {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  at: number
}

export const writer = (size = 65_536): Writer => {
  const bytes = new Uint8Array(size)
  return { bytes, view: new DataView(bytes.buffer), at: 0 }
}

/** Appends one history. */
export const write = (into: Writer, { containers, hours }: WorkloadHistory): void => {
  reserve(into, 1 + 4 + WORDS * 4 + 2)
  u8(into, VERSION)
  u32(into, hours.last)
  for (let word = 0; word < WORDS; word++) u32(into, hours.words[word] ?? 0)
  u16(into, containers.length)
  for (const container of containers) writeContainer(into, container)
}

const writeContainer = (
  into: Writer,
  { cpu, lastHour, memory, name, peaks }: ContainerHistory.ContainerHistory
): void => {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  reserve(into, 2 + name.length * 3 + 4)
  const { written } = encoder.encodeInto(name, into.bytes.subarray(into.at + 2))
  u16(into, written)
  into.at += written
  u32(into, lastHour)
  writeHistogram(into, cpu)
  writeHistogram(into, memory)
  reserve(into, 6 + peaks.replicas.length * 5)
  into.view.setInt32(into.at, peaks.day, true)
  into.at += 4
  u16(into, peaks.replicas.length)
  for (let place = 0; place < peaks.replicas.length; place++) {
    u32(into, peaks.replicas[place] ?? 0)
    u8(into, peaks.buckets[place] ?? 0)
  }
}

const writeHistogram = (into: Writer, { first, referenceMs, shape, weights }: DecayingHistogram.DecayingHistogram) => {
  reserve(into, 12 + weights.length * 2)
  u16(into, Math.round(referenceMs / shape.halfLifeMs))
  u8(into, first)
  u8(into, weights.length)
  if (weights.length === 0) return
  let greatest = 0
  for (const weight of weights) if (weight > greatest) greatest = weight
  into.view.setFloat64(into.at, greatest, true)
  into.at += 8
  for (const weight of weights) u16(into, Math.round((weight / greatest) * GREATEST))
}

/** Decodes one history. Fails if bytes are left over. **Errors** `UnreadableCheckpoint`. */
export const decode = (bytes: Uint8Array): Result.Result<WorkloadHistory, UnreadableCheckpoint> => {
  if (bytes[0] !== VERSION) return Result.fail(new UnreadableCheckpoint({ problem: "version" }))
  const from = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes, at: 1 }
  return Result.try({
    try: () => {
      const hours = { last: readU32(from), words: Array.from({ length: WORDS }, () => readU32(from) | 0) }
      const containers = Array.from({ length: readU16(from) }, () => readContainer(from))
      if (from.at !== bytes.length) throw new RangeError("bytes are left over")
      return { hours, containers }
    },
    catch: () => new UnreadableCheckpoint({ problem: "damaged" })
  })
}

interface Reader {
  readonly view: DataView
  readonly bytes: Uint8Array
  at: number
}

const readContainer = (from: Reader): ContainerHistory.ContainerHistory => {
  const length = readU16(from)
  if (from.at + length > from.bytes.length) throw new RangeError("the name is cut off")
  const history = ContainerHistory.make(decoder.decode(from.bytes.subarray(from.at, from.at + length)))
  from.at += length
  history.lastHour = readU32(from)
  readHistogram(from, history.cpu)
  readHistogram(from, history.memory)
  const { peaks } = history
  peaks.day = from.view.getInt32(from.at, true)
  from.at += 4
  const replicas = readU16(from)
  if (replicas > MAX_REPLICAS) throw new RangeError("too many replicas")
  for (let place = 0; place < replicas; place++) {
    const replica = readU32(from)
    const bucket = readU8(from)
    if (replica <= (peaks.replicas.at(-1) ?? -1)) throw new RangeError("replicas do not rise")
    if (bucket >= history.memory.shape.buckets.starts.length) throw new RangeError("no such bucket")
    peaks.replicas.push(replica)
    peaks.buckets.push(bucket)
  }
  return history
}

const readHistogram = (from: Reader, histogram: DecayingHistogram.DecayingHistogram): void => {
  histogram.referenceMs = readU16(from) * histogram.shape.halfLifeMs
  histogram.first = readU8(from)
  const length = readU8(from)
  if (length === 0) return
  if (histogram.first + length > histogram.shape.buckets.starts.length) throw new RangeError("no such bucket")
  const greatest = from.view.getFloat64(from.at, true)
  from.at += 8
  if (!(greatest > 0 && Number.isFinite(greatest))) throw new RangeError("no such weight")
  for (let place = 0; place < length; place++) histogram.weights.push((readU16(from) / GREATEST) * greatest)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const reserve = (into: Writer, size: number): void => {
  if (into.at + size <= into.bytes.length) return
  const longer = new Uint8Array(Math.max(into.bytes.length * 2, into.at + size))
  longer.set(into.bytes.subarray(0, into.at))
  into.bytes = longer
  into.view = new DataView(longer.buffer)
}

const u8 = (into: Writer, value: number): void => {
  into.bytes[into.at++] = value
}

const u16 = (into: Writer, value: number): void => {
  into.view.setUint16(into.at, value, true)
  into.at += 2
}

const u32 = (into: Writer, value: number): void => {
  into.view.setUint32(into.at, value, true)
  into.at += 4
}

const readU8 = (from: Reader): number => {
  const value = from.view.getUint8(from.at)
  from.at += 1
  return value
}

const readU16 = (from: Reader): number => {
  const value = from.view.getUint16(from.at, true)
  from.at += 2
  return value
}

const readU32 = (from: Reader): number => {
  const value = from.view.getUint32(from.at, true)
  from.at += 4
  return value
}
