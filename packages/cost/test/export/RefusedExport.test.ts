import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ImportRefused } from "../../src/export/CostExport.ts"
import * as HourCsv from "../../src/export/HourCsv.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { cost, hour, hoursFrom, prod, series } from "../store/samples.ts"
import { always, changed, exported, freshStore, imported, monday, storeWith } from "./exporting.ts"

describe("an export of the cost history", () => {
  it.effect("is refused where any figure or name of an hour was changed, and nothing of that hour is taken in", () =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 3).map((startMs) =>
        hour(startMs, [[series("api"), { cpuCostNanos: 1_000, memoryCostNanos: 20 }]])
      )
      const lines = (yield* exported(yield* storeWith(hours))).split("\r\n")
      for (const [from, to] of [
        [",1000,", ",10000,"],
        [",1000,", ",-5,"],
        [",Deployment,", ",Deploymant,"],
        ["api", "apis"]
      ] as const) {
        const store = yield* freshStore
        const text = lines.map((line, at) => (at === 5 ? line.replace(from, to) : line)).join("\n")
        const error = yield* Effect.flip(imported(store, text))
        assert.strictEqual(
          error.message,
          "line 5: prod 2026-03-02T01:00:00.000Z was modified: its checksum does not match"
        )
        assert.deepStrictEqual(yield* store.hours(prod, always), hours.slice(0, 1))
      }
    })
  )

  it.effect(
    "is refused where it was cut between two hours, where hours were taken out, and where something follows",
    () =>
      Effect.gen(function* () {
        const hours = hoursFrom(monday, 3).map((startMs) => cost(startMs, "api", 1))
        const [text, other] = [yield* exported(yield* storeWith(hours)), yield* exported(yield* freshStore)]
        const lines = text.split("\r\n")
        const cut = "the file ends here, without an end record: hours are missing"
        const another = "the checksum of the file does not match: hours were removed or added"
        for (const [left, message] of [
          [lines.slice(0, 7), `line 7: ${cut}`],
          [lines.slice(0, 1), `line 1: ${cut}`],
          [[...lines.slice(0, 4), ...lines.slice(7)], `line 8: ${another}`],
          [[...lines.slice(0, 1), ...lines.slice(10)], `line 2: ${another}`],
          [
            [...lines.slice(0, 3), ...lines.slice(4)],
            "line 4: the checksum of prod 2026-03-02T00:00:00.000Z is missing"
          ],
          [[...lines.slice(0, -1), ...other.split("\r\n")], "line 12: a record follows the end record"]
        ] as const) {
          const store = yield* freshStore
          for (const closed of ["skip", "replace"] as const) {
            const error = yield* Effect.flip(imported(store, left.join("\n"), closed))
            assert.instanceOf(error, ImportRefused)
            assert.strictEqual(error.message, message)
          }
        }
      })
  )

  it.effect("is refused with its line where it is not as it must be", () =>
    Effect.gen(function* () {
      const rate = { provider: "aws", region: "", instanceType: "", capacity: "spot", gpuModel: "" } as const
      const one = hour(
        monday,
        [
          [series("api", { labels: { app: "a\nb" } }), { cpuCostNanos: 5 }],
          [series("db"), { cpuCostNanos: 6 }]
        ],
        { rates: [rate], storage: [{ series: 1, storageClass: "fast", kibSeconds: 4 }] }
      )
      const whole = changed(one, "", "")
      const unended = whole.slice(0, whole.lastIndexOf("end,"))
      for (const [text, message] of [
        ["", "line 1: the file is empty; expected a header"],
        [whole.replace("knownSeconds", "known"), "line 1: expected the header of a supported export version"],
        [changed(one, "hour,prod", "day,prod"), "line 2: unknown record; expected hour, series, sum or end"],
        [changed(one, "hour,prod", 'hour,"a b"'), 'line 2: "a b" is not a valid history name'],
        [
          changed(one, "00:00:00.000Z", "00:30:00.000Z"),
          'line 2: "2026-03-02T00:30:00.000Z" is not a whole hour such as 2026-03-02T00:00:00.000Z'
        ],
        [changed(one, ",3600,", ",86401,"), 'line 2: knownSeconds is "86401", not a whole number from 0 to 86400'],
        [changed(one, ",3600,2,", ",3600,-2,"), 'line 2: series is "-2", not a whole number from 0 to 1000000'],
        [changed(one, ",3600,2,", ",3600,1,"), "line 2: charges refer to a missing series or rate"],
        [
          changed(one, ",3600,2,", ",3600,3,"),
          "line 2: prod 2026-03-02T00:00:00.000Z has fewer series than its hour record states"
        ],
        [
          whole.split("\r\n").slice(0, -3).join("\r\n"),
          "line 2: the file ends before all series of prod 2026-03-02T00:00:00.000Z and their checksum"
        ],
        [changed(one, '""rates""', '""costs""'), "line 2: cannot parse charges"],
        ...["[60]", "[60,30]", "[60,60]", "[-1,60]", "[0,3601]"].map((seen): readonly [string, string] => [
          changed({ ...one, seen: [0, 60] }, '""seen"":[0,60]', `""seen"":${seen}`),
          "line 2: cannot parse charges"
        ]),
        [changed(one, ",-1,5,", ",1,5,"), 'line 3: rate is "1", not a whole number from -1 to 0'],
        [changed(one, ",-1,5,", ",-1,5.0,"), 'line 3: cpuCostNanos is "5.0", not a whole number'],
        [
          changed(one, ",-1,5,", `,-1,${2n ** 53n + 1n},`),
          `line 3: cpuCostNanos is "${2n ** 53n + 1n}", not a whole number`
        ],
        [changed(one, '""app"":""a\\nb""', '""app"":1'), "line 3: cannot parse labels"],
        [changed(one, "db,uid-db", 'd"b,uid-db'), "line 4: a quote within an unquoted field"],
        [changed(one, "db,uid-db", '"db"x,uid-db'), "line 4: text after the closing quote of a field"],
        [changed(one, "db,uid-db", "db\rx,uid-db"), "line 4: a carriage return is not followed by a line feed"],
        [changed(one, "db,uid-db", 'db,"uid-db'), "line 4: text after the closing quote of a field"],
        [
          changed(one, "db,uid-db", "db,uid-db,x"),
          `line 4: it has ${HourCsv.HEADER.length + 1} fields, not ${HourCsv.HEADER.length}`
        ],
        [
          unended + whole.split("\r\n").slice(2).join("\r\n"),
          "line 6: expected an hour record before this series record"
        ],
        [
          unended + whole.split("\r\n").slice(1).join("\r\n"),
          "line 6: the hours of a cluster must be adjacent and ascending"
        ],
        [`${whole}"`, "line 7: the file ends within a quoted field"],
        [`${whole}\r`, "line 7: the file ends with a carriage return"]
      ] as const) {
        const store = yield* freshStore
        for (const length of [7, 100_000]) {
          const error = yield* Effect.flip(imported(store, text, "replace", length))
          assert.instanceOf(error, ImportRefused)
          assert.strictEqual(error.message, message)
        }
      }
    })
  )

  it.effect("is refused where a series comes twice, in the wrong hour, or too late", () =>
    Effect.gen(function* () {
      const one = hour(monday, [
        [series("api"), {}],
        [series("db"), {}]
      ])
      const next = cost(monday + HOUR_MS, "api", 1)
      const text = changed(one, "", "")
      const [header = "", record = "", api = "", db = ""] = text.split("\r\n")
      const [, nextRecord = "", nextApi = "", nextSum = ""] = changed(next, "", "").split("\r\n")
      const store = yield* freshStore
      for (const [lines, message] of [
        [[header, record, api, api], "line 4: prod 2026-03-02T00:00:00.000Z contains this series twice"],
        [
          [header, record, api, nextRecord],
          "line 4: prod 2026-03-02T00:00:00.000Z has fewer series than its hour record states"
        ],
        [[header, record, nextApi], "line 3: expected a series of prod 2026-03-02T00:00:00.000Z"],
        [
          [header, nextRecord, nextApi, nextSum, record, api, db],
          "line 5: the hours of a cluster must be adjacent and ascending"
        ]
      ] as const) {
        const error = yield* Effect.flip(imported(store, lines.join("\n")))
        assert.strictEqual(error.message, message)
      }
    })
  )
})
