/**
 * `quarterdeck get`: one workload, read live from its cluster, with its pods.
 */
import { type WorkloadReply, WorkloadReply as schema } from "@quarterdeck/contract/WorkloadGroup"
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Age from "../print/Age.ts"
import * as ApiClient from "../request/ApiClient.ts"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as Output from "../print/Output.ts"
import * as PlainText from "../print/PlainText.ts"
import * as PodColumns from "../print/PodColumns.ts"
import * as Print from "../print/Print.ts"
import * as WorkloadName from "./WorkloadName.ts"

const flags = {
  ...WorkloadName.flags,
  output: Flag.Literals("output", ["text", "json", "yaml"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("text: tables; json, yaml: the whole reply"),
    Flag.withDefault("text")
  ),
  url: Connection.urlFlag
}

const NONE = "<none>"

type Workload = WorkloadReply["workload"]

/** Describes the rollout of a workload. **Example** `RollingUpdate, revision 3, paused` */
const rolloutOf = ({ rollout }: Workload): string => {
  const { isPaused, progressDeadlineSeconds, revision, strategy } = rollout
  const words = [
    ...(strategy === null ? [] : [strategy]),
    ...(revision === null ? [] : [`revision ${revision}`]),
    ...(progressDeadlineSeconds === undefined ? [] : [`deadline ${progressDeadlineSeconds} s`]),
    ...(isPaused ? ["paused"] : [])
  ]
  return words.join(", ") || NONE
}

const portsOf = ({ ports }: Workload["containers"][number]): string =>
  ports.map(({ name, port, protocol }) => `${name === undefined ? "" : `${name}:`}${port}/${protocol}`).join(",")
  || NONE

const limitOf = (limit: number, print: (value: number) => string): string => (limit === 0 ? NONE : print(limit))

/** Renders the workload, its containers, conditions and pods as tables. Leaves out empty tables. */
const sectionsOf = ({ podCount, pods, workload }: WorkloadReply, nowMs: number): string => {
  const { conditions, containers } = workload
  const facts = [
    ["Rollout", rolloutOf(workload)],
    ["Selector", workload.selector ?? NONE],
    ["Version", workload.resourceVersion ?? NONE]
  ]
  const sections = [
    Output.table(Columns.workloads(nowMs).table, [workload]),
    facts.map(([name = "", fact = ""]) => `${`${name}:`.padEnd(11)}${PlainText.oneLine(fact)}\n`).join(""),
    Output.table(
      [
        { title: "CONTAINER", cell: ({ name }) => name },
        { title: "IMAGE", cell: ({ image }) => image },
        { title: "CPU", cell: (one) => PlainText.cores(one.cpuRequestMillis) },
        { title: "MEMORY", cell: (one) => PlainText.bytes(one.memoryRequestBytes) },
        { title: "CPU LIMIT", cell: (one) => limitOf(one.cpuLimitMillis, PlainText.cores) },
        { title: "MEMORY LIMIT", cell: (one) => limitOf(one.memoryLimitBytes, PlainText.bytes) },
        { title: "PORTS", cell: portsOf },
        { title: "RESTARTS", cell: ({ restarts }) => restarts }
      ],
      containers
    ),
    ...(conditions.length === 0
      ? []
      : [
          Output.table(
            [
              { title: "CONDITION", cell: ({ type }) => type },
              { title: "STATUS", cell: ({ status }) => status },
              { title: "REASON", cell: ({ reason = NONE }) => reason },
              { title: "SINCE", cell: ({ lastTransitionAt }) => ageOf(lastTransitionAt, nowMs) },
              { title: "MESSAGE", cell: ({ message = "" }) => message }
            ],
            conditions
          )
        ]),
    ...(pods.length === 0 ? [] : [Output.table(podColumns(nowMs), pods)]),
    ...(podCount > pods.length ? [`${podCount - pods.length} more pods\n`] : [])
  ]
  return sections.join("\n")
}

const ageOf = (instant: string | undefined, nowMs: number): string =>
  instant === undefined ? NONE : Age.since(instant, nowMs)

/** The columns of a workload's pods, without cluster and namespace, which are the same for all. */
const podColumns = (nowMs: number) => {
  const { table, wide } = PodColumns.make(nowMs)
  const known = new Set(["CLUSTER", "NAMESPACE"])
  return [
    ...table
      .filter(({ title }) => !known.has(title))
      .map((column) => (column.title === "NAME" ? { ...column, title: "POD" } : column)),
    ...wide.filter(({ title }) => title === "NODE")
  ]
}

export const getCommand = Command.make(
  "get",
  flags,
  Effect.fn("get")(function* (given) {
    const connection = yield* Connection.read(given.url)
    const workload = yield* WorkloadName.read(connection, given)
    const reply = yield* ApiClient.call(connection, schema, {
      method: "GET",
      path: WorkloadName.pathOf(workload),
      flags: WorkloadName.flagOf
    })
    const nowMs = yield* Clock.currentTimeMillis
    yield* Print.output(given.output === "text" ? sectionsOf(reply, nowMs) : Output.document(given.output, reply))
    yield* Effect.forEach(CoverageNotes.lines(reply.clusters), Print.note)
  })
).pipe(
  Command.withDescription(
    "Show one workload, read live from its cluster: status, rollout, containers, conditions and pods. Pods that are not ready come first."
  ),
  Command.withShortDescription("Show one workload with its pods"),
  Command.withExamples([
    { command: "quarterdeck get deployment/web -n shop -c prod" },
    { command: "quarterdeck get sts/db -n shop -c prod -o yaml", description: "The whole reply" }
  ])
)
