import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import * as AnswerProblem from "../../src/kube/AnswerProblem.ts"
import * as JsonLines from "../../src/kube/JsonLines.ts"
import type { KubeObject } from "../../src/kube/KubeObject.ts"
import * as KubeObjectJson from "../../src/kube/KubeObjectJson.ts"
import * as KubeObjectProtobuf from "../../src/kube/KubeObjectProtobuf.ts"
import * as KubeShapes from "../../src/kube/KubeShapes.ts"
import * as ListItems from "../../src/kube/ListItems.ts"
import { mask } from "../../src/kube/Masking.ts"
import * as SecretScan from "../../src/kube/SecretScan.ts"
import * as TextLimit from "../../src/kube/TextLimit.ts"
import { isName } from "../../src/kube/TokenMasking.ts"
import * as WatchFrames from "../../src/kube/WatchFrames.ts"
import * as LabelSelector from "../../src/list/LabelSelector.ts"
import * as Interner from "../../src/projection/Interner.ts"
import * as Kind from "../../src/projection/Kind.ts"
import * as Projection from "../../src/projection/Projection.ts"
import * as Quantity from "../../src/projection/Quantity.ts"
import * as WorkloadDetail from "../../src/projection/WorkloadDetail.ts"

const cluster = ClusterName.make("eu")
const place = () => ({ cluster, interner: Interner.make() })

/** An object in which every field that a projection reads holds the same text. */
const objectOf = (text: string): KubeObject => ({
  metadata: {
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    creationTimestamp: text,
    labels: { [text]: text },
    annotations: { "deployment.kubernetes.io/revision": text },
    ownerReferences: [{ apiVersion: text, kind: text, name: text, uid: text, controller: true }]
  },
  spec: {
    nodeName: text,
    providerID: text,
    schedule: text,
    selector: { matchLabels: { [text]: text } },
    ...podSpec(text),
    template: { spec: podSpec(text) },
    jobTemplate: { spec: { template: { spec: podSpec(text) } } }
  },
  status: {
    phase: text,
    reason: text,
    startTime: text,
    capacity: { cpu: text, memory: text, [text]: text },
    allocatable: { cpu: text, memory: text, [text]: text },
    conditions: [{ type: text, status: text, reason: text, message: text, lastTransitionTime: text }],
    containerStatuses: [{ name: text, state: { waiting: { reason: text, message: text } } }]
  },
  message: text,
  reason: text,
  type: text,
  eventTime: text,
  involvedObject: { kind: text, name: text, namespace: text, uid: text },
  source: { component: text }
})

const podSpec = (text: string) => ({
  containers: [{ name: text, image: text, resources: { requests: { cpu: text, memory: text, [text]: text } } }]
})

const row = (text: string) => Projection.project("Deployment", objectOf(text), place()).row

/** Every reader of text that a cluster, a plugin or a client chooses. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  mask: (text) => mask(text),
  "mask with secrets": (text) => mask(text, { secrets: [text.slice(0, 512), "aaaa"] }),
  scan: SecretScan.scan,
  isName,
  cut: (text) => TextLimit.cut(text, 1_024),
  quantity: (text) => [Quantity.parseMillis(text), Quantity.parseUnits(text)],
  "label selector": (text) => [LabelSelector.parse(text), LabelSelector.parse(`a in (${text})`)],
  "refused answer": (text) =>
    [text, JSON.stringify({ kind: "Status", message: text, reason: text })].map((body) =>
      AnswerProblem.fromAnswer({
        isWrite: true,
        status: 409,
        headers: { "retry-after": text },
        body,
        verb: "get",
        resource: "pods",
        secrets: ["secret"],
        nowMs: 0
      })
    ),
  "lines of a watch": (text) => JsonLines.make(1 << 20).push(Buffer.from(`${text}\n`)),
  "frames of a watch": (text) => WatchFrames.make(1 << 20).push(Buffer.from(text)),
  json: (text) => KubeObjectJson.parseJson(Buffer.from(text)),
  "page of a list": (text) => {
    const page = ListItems.read(Buffer.from(`{"metadata":{},"items":[{"metadata":${text}},{"metadata":${text}`))
    while (page.step());
    return page.page()
  },
  "page in protobuf": (text) => {
    const resource = Kind.resources.Pod
    const shape = KubeShapes.find(resource)
    if (shape === undefined) return undefined
    const page = KubeObjectProtobuf.readPage(Buffer.concat([KubeShapes.MAGIC, Buffer.from(text)]), resource, shape)
    while (page.step());
    return page.page()
  },
  "objects of every kind": (text) =>
    [...Kind.kinds, ...Kind.onDemand].map((kind) => Projection.project(kind, objectOf(text), place())),
  "one workload": (text) => WorkloadDetail.ofObject(row(text), objectOf(text), new Map())
}

const PIECES = [
  ...Array.from("a1A .,:;=\"'\\/@-_+&%*~(){}[]\n\u0000é漢"),
  ...'token |password=|bearer |-----BEGIN |-----END |://|key|eyJ|sha256:|e9|Mi|in (|\\"|":{"|aB3'.split("|")
]
const shapes = Schema.Array(Schema.Literals(PIECES)).check(Schema.isMinLength(1), Schema.isMaxLength(4))

/** **Units** characters. */
const SIZE = 32 * 1_024
/** Doubling the input may cost this much more. */
const MOST = 2.5
/** Measurements of a reader that seems too expensive. */
const ATTEMPTS = 3
/** Shorter times say nothing. **Units** milliseconds. */
const FLOOR_MS = 4

/** Processor time of the fastest of some runs. **Units** milliseconds. */
const costOf = (read: (text: string) => unknown, text: string, mostMs: number): number => {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5 && best > mostMs; run++) {
    const before = process.cpuUsage()
    read(text)
    const { system, user } = process.cpuUsage(before)
    best = Math.min(best, (system + user) / 1_000)
  }
  return best
}

/** Readers that cost too much, with their times. */
const tooDear = (opening: string, unit: string): ReadonlyArray<string> => {
  const text = (size: number) => `${opening}${unit.repeat(Math.ceil(size / unit.length))}`.slice(0, size)
  const excess = (name: string, read: (text: string) => unknown): ReadonlyArray<string> => {
    const once = Math.max(costOf(read, text(SIZE), FLOOR_MS), FLOOR_MS)
    const twice = costOf(read, text(2 * SIZE), MOST * once)
    return twice <= MOST * once ? [] : [`${name} of ${JSON.stringify(unit)}: ${once} ms, then ${twice} ms`]
  }
  return Object.entries(READERS).flatMap(([name, read]) => {
    // A machine that slows down in between passes the second or third time, a quadratic reader never does.
    let found: ReadonlyArray<string> = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      found = excess(name, read)
      if (found.length === 0) break
    }
    return found
  })
}

describe("text twice as long costs every reader at most 2.5 times as much", () => {
  it.each(PIECES)("when %j repeats", (piece) => {
    assert.deepStrictEqual(tooDear("", piece), [])
  })

  it.prop(
    "whatever repeats",
    [shapes, shapes],
    ([opening, repeated]) => {
      assert.deepStrictEqual(tooDear(opening.join(""), repeated.join("")), [])
    },
    { arbitrary: { runs: 60 } }
  )
})
