import { assert, describe, it } from "@effect/vitest"
import type { Point } from "../../src/usage/prometheus/Answer.ts"
import * as MinuteMask from "../../src/usage/prometheus/MinuteMask.ts"
import * as NodesOfHour from "../../src/usage/prometheus/NodesOfHour.ts"

const HOUR_MS = Date.UTC(2026, 0, 1)
const at = (minute: number, second = 0) => HOUR_MS + minute * MinuteMask.MINUTE_MS + second * 1_000

/** The points of a series that was there from one minute until before another. */
const during = (from: number, until: number): ReadonlyArray<Point> =>
  Array.from({ length: MinuteMask.SLICES }, (_, slice) => {
    const seen = [0, 1, 2, 3, 4].filter((place) => slice * 5 + place >= from && slice * 5 + place < until)
    return { atMs: at((slice + 1) * 5), value: seen.reduce((bits, place) => bits | (1 << ((place + 1) % 5)), 0) }
  })

const line = (provider_id: string, system_uuid: string, from: number, until: number) => ({
  labels: { node: "n1", provider_id, system_uuid },
  points: during(from, until)
})

const read = (nodes: NodesOfHour.NodeAnswers["nodes"], createdMs: number) =>
  NodesOfHour.read(
    {
      nodes,
      nodeLabels: [],
      nodeCapacity: [],
      nodeStarts: [{ labels: { node: "n1" }, points: [{ atMs: 0, value: createdMs / 1_000 }] }]
    },
    HOUR_MS,
    () => true
  ).map(({ providerId, spans, uid }) => ({ providerId, spans, uid }))

describe("the nodes of an hour in metrics", () => {
  it.each(["machine-1", ""])("are there once while their provider names them, with the uuid %j", (uuid) => {
    const created = at(20, 5)
    const spans = [{ fromMs: created, toMs: at(60) }]
    for (const named of [20, 21, 23]) {
      const nodes = [line("", uuid, 20, Math.max(21, named)), line("aws:///a/i-1", uuid, named, 60)]
      assert.deepStrictEqual(read(nodes, created), [{ providerId: "aws:///a/i-1", spans, uid: uuid }])
    }
  })

  it("are several where machines follow each other under one name", () => {
    const nodes = [line("aws:///a/i-1", "machine-1", 0, 20), line("aws:///a/i-2", "machine-2", 30, 60)]
    assert.deepStrictEqual(read(nodes, at(30, 10)), [
      { providerId: "aws:///a/i-1", uid: "machine-1", spans: [{ fromMs: at(0), toMs: at(20) }] },
      { providerId: "aws:///a/i-2", uid: "machine-2", spans: [{ fromMs: at(30, 10), toMs: at(60) }] }
    ])
  })
})
