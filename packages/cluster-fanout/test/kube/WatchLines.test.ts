import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { WatchEvent } from "../../src/kube/KubeObject.ts"
import * as watchLines from "../../src/kube/WatchLines.ts"
import * as wireForm from "../../src/kube/WireForm.ts"
import * as Kind from "../../src/projection/Kind.ts"

const Line = Schema.Struct({
  type: Schema.Literals(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "END", "NEWER", "ERROR", "BROKEN"]),
  name: Schema.String,
  version: Schema.Natural
})
type Line = typeof Line.Type
const Lines = Schema.Array(Line).check(Schema.isMaxLength(12))

const ENDS_INITIAL = { annotations: { "k8s.io/initial-events-end": "true" } }

const textOf = ({ name, type, version }: Line): string => {
  const resourceVersion = String(version)
  const metadata = { name, uid: name, resourceVersion }
  switch (type) {
    case "BROKEN":
      return `{"type":"ADDED","object":{"metadata":`
    case "END":
      return JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion, ...ENDS_INITIAL } } })
    case "ERROR":
      return JSON.stringify({ type, object: { kind: "Status", code: 410 } })
    default:
      return JSON.stringify({ type, object: { metadata } })
  }
}

interface Told {
  readonly events: ReadonlyArray<WatchEvent>
  readonly isInitial: boolean
  readonly resourceVersion: string
  /** How it ended before its last line, if it did. */
  readonly end: "error" | "problem" | undefined
}

const json = wireForm.of("application/json", Kind.resources.Pod)

const START = { isInitial: true, resourceVersion: "0" }

/** Reads lines in parts of so many, each from where the one before ended. */
const readInParts = (lines: ReadonlyArray<Line>, size: number): Told => {
  let told: Told = { ...START, events: [], end: undefined }
  for (let at = 0; at < lines.length && told.end === undefined; at += size) {
    const part = lines.slice(at, at + size).map((line) => Buffer.from(textOf(line)))
    const reading = watchLines.read(part, told, json)
    while (reading.step());
    const taken = reading.taken()
    if (Result.isFailure(taken)) return { ...told, end: "problem" }
    const { error, events, ...state } = taken.success
    told = { ...state, events: [...told.events, ...events], end: error === undefined ? undefined : "error" }
  }
  return told
}

/** The same in plain words: what each line means, one after another. */
const meaningOf = (lines: ReadonlyArray<Line>): Told => {
  const events: Array<WatchEvent> = []
  let { isInitial, resourceVersion } = START
  for (const line of lines) {
    if (line.type === "NEWER") continue
    if (line.type === "BROKEN") return { events, isInitial, resourceVersion, end: "problem" }
    if (line.type === "ERROR") return { events, isInitial, resourceVersion, end: "error" }
    resourceVersion = String(line.version)
    const object = { metadata: { name: line.name, uid: line.name, resourceVersion } }
    if (line.type === "ADDED" || line.type === "MODIFIED") events.push({ _tag: "Put", object })
    if (line.type === "DELETED") events.push({ _tag: "Delete", object })
    if (line.type === "BOOKMARK" && !isInitial) events.push({ _tag: "Bookmark", resourceVersion })
    if (line.type === "END") events.push({ _tag: isInitial ? "Synced" : "Bookmark", resourceVersion })
    if (line.type === "END") isInitial = false
  }
  return { events, isInitial, resourceVersion, end: undefined }
}

describe("WatchLines", () => {
  it.prop("tell the same line by line, and what each line means", [Lines], ([lines]) => {
    assert.deepStrictEqual(readInParts(lines, 1), meaningOf(lines))
  })

  it.prop("tell the same in whatever parts they come", [Lines, Schema.Literals([2, 3, 5, 12])], ([lines, size]) => {
    const told = readInParts(lines, size)
    const whole = meaningOf(lines)
    assert.strictEqual(told.end, whole.end)
    // What came with a line that is none is read again from where the part began.
    if (told.end === "problem") assert.deepStrictEqual(whole.events.slice(0, told.events.length), told.events)
    else assert.deepStrictEqual(told, whole)
  })
})
