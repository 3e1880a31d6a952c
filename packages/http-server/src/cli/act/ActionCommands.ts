/**
 * `quarterdeck scale`, `restart`, `pause` and `resume`: change one workload or many.
 */
import { ActionResult, MAX_REPLICAS } from "@quarterdeck/contract/WorkloadGroup"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as ActionTargets from "./ActionTargets.ts"
import * as ApiClient from "../request/ApiClient.ts"
import type * as BulkCall from "./BulkCall.ts"
import { misused } from "../print/CommandFailure.ts"
import * as Confirmation from "./Confirmation.ts"
import * as Connection from "../request/Connection.ts"
import * as ManyActions from "./ManyActions.ts"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"
import * as WorkloadName from "../look/WorkloadName.ts"

const flags = {
  ...ActionTargets.flags,
  isDryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Change nothing; print the result of the cluster's dry run"),
    Flag.withDefault(false)
  ),
  isSure: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription("Do not ask for confirmation; required for many workloads without a terminal"),
    Flag.withDefault(false)
  ),
  resourceVersion: Flag.String("resource-version").pipe(
    Flag.withDescription("For one workload: change it only if it still has this resourceVersion"),
    Flag.optional
  ),
  output: Flag.Literals("output", ["text", "json", "yaml"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("text: a line for one workload, a table for many; json, yaml: the whole reply"),
    Flag.withDefault("text")
  ),
  url: Connection.urlFlag
}

const CONFIRMING =
  "Changes many workloads with --label-selector, or with a name in several clusters or namespaces. On a terminal, the command shows the change and asks for confirmation."

type Flags = Command.Command.Config.Infer<typeof flags>

/** Describes what an action changed. **Example** `replicas 2 -> 3` */
const changeOf = ({ after, before }: ActionResult): string => {
  if (after.replicas !== undefined) return `replicas ${before.replicas} -> ${after.replicas}`
  if (after.isPaused !== undefined) return `paused ${before.isPaused} -> ${after.isPaused}`
  return `restarted ${before.restartedAt ?? "never"} -> ${after.restartedAt}`
}

/** Changes one workload or many. */
const act = Effect.fnUntraced(function* (given: Flags, change: BulkCall.Change) {
  const connection = yield* Connection.read(given.url)
  const targets = yield* ActionTargets.read(connection, given)
  if (targets._tag === "One") return yield* actOnOne(connection, given, change, targets.workload)
  if (Option.isSome(given.resourceVersion)) {
    return yield* misused("--resource-version needs one workload: give its name and one cluster")
  }
  yield* ManyActions.run(connection, given, change, targets)
})

/**
 * Changes a workload.
 *
 * **Shape** on a terminal, shows a dry run and asks first. The change then applies only to the version of that dry run.
 */
const actOnOne = Effect.fnUntraced(function* (
  connection: Connection.Connection,
  given: Flags,
  { action, ...body }: BulkCall.Change,
  workload: WorkloadName.WorkloadName
) {
  const send = (more: Readonly<Record<string, unknown>>) =>
    ApiClient.call(connection, ActionResult, {
      method: "POST",
      path: `${WorkloadName.pathOf(workload)}/${action}`,
      body: { ...body, ...more },
      flags: { ...WorkloadName.flagOf, replicas: "--replicas", resourceVersion: "--resource-version" }
    })
  const version = Option.match(given.resourceVersion, {
    onNone: () => ({}),
    onSome: (resourceVersion) => ({ resourceVersion })
  })
  const name = WorkloadName.print(workload)
  if (given.isDryRun) {
    yield* print(given, yield* send({ ...version, dryRun: true }), name)
    return yield* Print.note("nothing was changed")
  }
  if (given.isSure || !(yield* Confirmation.isPossible)) return yield* print(given, yield* send(version), name)
  const tried = yield* send({ ...version, dryRun: true })
  yield* Confirmation.require(`${action} ${name}: ${changeOf(tried)}?`)
  yield* print(given, yield* send({ resourceVersion: tried.resourceVersion }), name)
})

const print = ({ output }: Flags, result: ActionResult, name: string) =>
  Print.output(output === "text" ? `${name}: ${changeOf(result)}\n` : Output.document(output, result))

export const scaleCommand = Command.make(
  "scale",
  {
    ...flags,
    replicas: Flag.Int("replicas").pipe(
      Flag.withDescription(`Number of replicas, up to ${MAX_REPLICAS}`),
      Flag.filter(
        (count) => count >= 0 && count <= MAX_REPLICAS,
        () => `a whole number from 0 to ${MAX_REPLICAS}`
      )
    )
  },
  Effect.fn("scale")(function* ({ replicas, ...given }) {
    yield* act(given, { action: "scale", replicas })
  })
).pipe(
  Command.withDescription(`Scale a Deployment, StatefulSet or ReplicaSet. ${CONFIRMING}`),
  Command.withShortDescription("Scale a workload"),
  Command.withExamples([
    { command: "quarterdeck scale deployment/web --replicas 3 -n shop -c prod" },
    {
      command: "quarterdeck scale sts/db --replicas 3 -n shop -c prod --dry-run",
      description: "Dry run by the cluster"
    },
    { command: "quarterdeck scale deploy -l app=web --replicas 0 -n shop -c 'prod|stage'", description: "Many at once" }
  ])
)

/** Makes a command whose only argument is the workload. */
const command = (action: "restart" | "pause" | "resume", short: string, description: string, example: string) =>
  Command.make(
    action,
    flags,
    Effect.fn(action)(function* (given) {
      yield* act(given, { action })
    })
  ).pipe(
    Command.withDescription(`${description} ${CONFIRMING}`),
    Command.withShortDescription(short),
    Command.withExamples([
      { command: `quarterdeck ${action} ${example} -n shop -c prod` },
      { command: `quarterdeck ${action} ${example.split("/")[0]} -l part=shop -A -c '*'`, description: "Many at once" }
    ])
  )

export const restartCommand = command(
  "restart",
  "Restart a workload",
  "Replace the pods of a Deployment, StatefulSet or DaemonSet with a rollout, as kubectl rollout restart does.",
  "deployment/web"
)

export const pauseCommand = command(
  "pause",
  "Pause a rollout, or a schedule",
  "Pause the rollout of a Deployment, or the schedule of a CronJob.",
  "deployment/web"
)

export const resumeCommand = command(
  "resume",
  "Resume a rollout, or a schedule",
  "Resume the rollout of a Deployment, or the schedule of a CronJob.",
  "cronjob/report"
)
