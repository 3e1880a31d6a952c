import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BASIS, ORDER, WIDTH } from "../../../src/store/sqlite/ColumnBasis.ts"
import {
  pack as packColumns,
  type Prediction,
  type Sparse,
  sizeOf,
  unpack,
  unpredicted
} from "../../../src/store/sqlite/PackedColumns.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Value = Schema.Union([
  Schema.Literals([127, 128, -128, -129, 32_767, 32_768, -32_769, 2 ** 23, 2 ** 31, 2 ** 39, 2 ** 47, -(2 ** 47) - 1]),
  between(-1, 1),
  between(-128, 127),
  between(-40_000, 40_000),
  between(-(2 ** 23) - 1, 2 ** 23),
  between(-(2 ** 31) - 1, 2 ** 31),
  between(-(2 ** 39) - 1, 2 ** 39),
  between(-(2 ** 47) - 1, 2 ** 47),
  between(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  between(-(2 ** 70), 2 ** 70)
])
const Column = Schema.Array(Value).check(Schema.isMaxLength(200))

/** Foretells a constant. */
const constant =
  (guess: number): Prediction =>
  (_column, _known, into, size) => {
    into.fill(guess, 0, size)
    return true
  }

const pack = (size: number, columns: Sparse, predicted: Prediction): Uint8Array =>
  packColumns(size, (column) => columns[column], columns, predicted)

const columnsWith = (column: number, values: Float64Array) =>
  Array.from({ length: WIDTH }, (_, at) => (at === column ? values : undefined))

describe("packed columns", () => {
  it.prop("give back any numbers with any prediction", [Column, Value, between(0, WIDTH - 1)], ([drawn, guess, at]) => {
    const values = Float64Array.from(drawn, (value) => value + 0)
    const predicted: Prediction = (column, known, into, size) =>
      // What is foretold is a column that was kept, and those have no -0 either.
      column === at ? constant(guess + 0)(column, known, into, size) : false
    const packed = pack(values.length, columnsWith(at, values), predicted)
    const back = unpack(packed, values.length + 3, predicted)
    assert.strictEqual(sizeOf(packed), values.length)
    assert.deepStrictEqual((back[at] ?? new Float64Array(values.length + 3)).slice(0, values.length), values)
    for (const [column, other] of back.entries()) if (column !== at) assert.isUndefined(other)
  })

  it("take no room for what is foretold, and little for what is not", () => {
    const size = 1_000
    const same = new Float64Array(size).fill(3_600)
    const first: Prediction = (column, known, into, count) =>
      column === 0 ? constant(3_600)(column, known, into, count) : false
    const head = pack(size, columnsWith(0, same), first).length
    assert.isBelow(head, 200)
    const near = same.map((value, place) => value + (place % 100))
    assert.strictEqual(pack(size, columnsWith(0, near), first).length, head + size)
  })

  it("keep few that are far off aside", () => {
    const values = new Float64Array(1_000)
    values[7] = 2 ** 52
    values[999] = -(2 ** 52)
    const packed = pack(values.length, columnsWith(3, values), unpredicted)
    assert.isBelow(packed.length, 300)
    assert.deepStrictEqual(unpack(packed, values.length, unpredicted)[3], values)
  })

  it("know places beyond two bytes", () => {
    const values = new Float64Array(70_000)
    values[69_999] = 12_345
    values[65_536] = 2 ** 50
    const packed = pack(values.length, columnsWith(3, values), unpredicted)
    assert.deepStrictEqual(unpack(packed, values.length, unpredicted)[3], values)
  })

  it("are refused when they are cut short", () => {
    const packed = pack(10, columnsWith(3, new Float64Array(10).fill(9)), unpredicted)
    assert.throws(
      () => unpack(packed.subarray(0, packed.length - 1), 10, unpredicted),
      /do not have the length that their header gives/
    )
    assert.throws(() => unpack(packed.subarray(0, 8), 10, unpredicted), /are truncated/)
  })

  it("are foretold each by one before it", () => {
    for (const [column, basis] of BASIS.entries()) {
      if (basis >= 0) assert.isBelow(ORDER.indexOf(basis), ORDER.indexOf(column))
    }
    assert.deepStrictEqual(new Set(ORDER).size, WIDTH)
  })
})
