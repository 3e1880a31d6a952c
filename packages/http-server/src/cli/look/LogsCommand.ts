/**
 * `quarterdeck logs`: the log of a container.
 */
import { MAX_TAIL_LINES } from "@quarterdeck/contract/PodGroup"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as LogFollow from "./LogFollow.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"
import * as WorkloadName from "./WorkloadName.ts"

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 }
const SINCE = /^([1-9][0-9]{0,5})([smhd])$/

const secondsOf = (text: string): number => {
  const [, count = "", unit = ""] = SINCE.exec(text) ?? []
  const seconds = unit === "s" || unit === "m" || unit === "h" || unit === "d" ? SECONDS[unit] : Number.NaN
  return Number(count) * seconds
}

const flags = {
  pod: Argument.String("pod").pipe(
    Argument.withDescription("The pod: web-5d8f-x2x9k, or pod/web-5d8f-x2x9k"),
    Argument.filter(
      (text) => /^(?:(?:pods?|po)\/)?[^/]+$/.test(text),
      () => "the name of a pod"
    )
  ),
  namespace: WorkloadName.flags.namespace,
  cluster: WorkloadName.flags.cluster,
  container: Flag.String("container").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("The container; required if the pod has several"),
    Flag.optional
  ),
  isFollowed: Flag.Boolean("follow").pipe(
    Flag.withAlias("f"),
    Flag.withDescription("Keep printing new lines, for at most an hour"),
    Flag.withDefault(false)
  ),
  isPrevious: Flag.Boolean("previous").pipe(
    Flag.withAlias("p"),
    Flag.withDescription("The log of the container before its last restart"),
    Flag.withDefault(false)
  ),
  hasTimestamps: Flag.Boolean("timestamps").pipe(
    Flag.withDescription("Start each line with its time"),
    Flag.withDefault(false)
  ),
  since: Flag.String("since").pipe(
    Flag.withMetavar("DURATION"),
    Flag.withDescription("Only lines newer than a duration such as 10s, 5m, 3h or 2d"),
    Flag.filter(
      (text) => SINCE.test(text),
      () => "a duration such as 10s, 5m, 3h or 2d"
    ),
    Flag.optional
  ),
  tail: Flag.Int("tail").pipe(
    Flag.withMetavar("LINES"),
    Flag.withDescription(`Number of newest lines, 1 to ${MAX_TAIL_LINES}; default 500`),
    Flag.optional
  ),
  url: Connection.urlFlag
}

export const logsCommand = Command.make(
  "logs",
  flags,
  Effect.fn("LogsCommand.run")(function* (given) {
    const connection = yield* Connection.read(given.url)
    const cluster = Option.isSome(given.cluster) ? given.cluster.value : yield* WorkloadName.parentOf(connection)
    const name = given.pod.split("/").at(-1) ?? given.pod
    const query: Array<[string, string]> = []
    if (given.isFollowed) query.push(["follow", "true"])
    if (Option.isSome(given.container)) query.push(["container", given.container.value])
    if (given.isPrevious) query.push(["previous", "true"])
    if (given.hasTimestamps) query.push(["timestamps", "true"])
    if (Option.isSome(given.since)) query.push(["sinceSeconds", String(secondsOf(given.since.value))])
    if (Option.isSome(given.tail)) query.push(["tailLines", String(given.tail.value)])
    const request = {
      method: "GET",
      path: `/api/v1/pods/${[cluster, given.namespace, name].map(encodeURIComponent).join("/")}/logs`,
      query,
      flags: {
        cluster: "--cluster",
        namespace: "--namespace",
        name: "pod",
        container: "--container",
        sinceSeconds: "--since",
        tailLines: "--tail"
      }
    } as const
    if (given.isFollowed) return yield* LogFollow.print(ApiClient.follow(connection, request))
    yield* Print.output(PlainText.log(yield* ApiClient.text(connection, request)))
  })
).pipe(
  Command.withDescription("Read the log of a pod"),
  Command.withExamples([
    { command: "quarterdeck logs web-5d8f-x2x9k -n shop -c prod --tail 100" },
    { command: "quarterdeck logs web-5d8f-x2x9k -n shop -c prod --container web --previous" },
    { command: "quarterdeck logs -f web-5d8f-x2x9k -n shop -c prod --tail 10", description: "Follow the log" }
  ])
)
