/**
 * Answers for the logs of pods, which a real server fetches from the kubelet of their node.
 *
 * No kubelet listens here. What a container has written is what its pod's annotation
 * `log.harness.quarterdeck.dev/<container>` says; without one, the answer is that of a real server whose kubelet does
 * not answer: nothing for a pod without a node, 404 for one whose node is gone, else 500. An empty log would look as if
 * something ran and said nothing.
 *
 * `repeat.log.harness.quarterdeck.dev/<container>` has it written so many times over: an annotation holds 256 KiB. Whoever
 * follows a log is told what is added to the annotation, until the pod has ended or is gone.
 *
 * **Source** Kubernetes 1.36, `pkg/registry/core/pod/strategy.go`, `LogLocation`, and its replies.
 */
import { Result } from "effect"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { arrayAt, at, type JsonObject, textAt } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as QueryValue from "../core/QueryValue.ts"
import * as Resources from "../core/Resources.ts"
import {
  badRequest,
  type Failure,
  type FieldError,
  forbiddenValue,
  invalid,
  invalidValue,
  notFound,
  type Outcome
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { read, type Stored } from "../core/Stored.ts"
import { type TextReply, text } from "../core/TextReply.ts"
import { find } from "./Address.ts"

/** Before the name of the container whose log the annotation holds, and of the one that is written over and over. */
const ANNOTATION = "log.harness.quarterdeck.dev/"
const REPEAT = `repeat.${ANNOTATION}`

/** A log that goes on. **Shape** `first` is the part that was asked for of what was `written` by then. */
export interface LogReply {
  readonly _tag: "Log"
  readonly pod: Pick<Stored, "uid">
  readonly container: string
  readonly first: Iterable<string>
  readonly written: string
  readonly isOver: boolean
}

/** What a container of a pod has written, if its pod says so. */
export const writtenBy = (pod: JsonObject, container: string): string | undefined => {
  const written = at(pod, "metadata", "annotations", `${ANNOTATION}${container}`)
  return typeof written === "string" ? written : undefined
}

/** Whether the containers of a pod write no more. */
export const isOver = (pod: JsonObject): boolean => ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase"))

/**
 * Answers with the log of a container.
 *
 * **Errors** 400 for a container that the pod does not have, 404, 422 for options that cannot be, 500.
 */
export const answer = steps(function* (kernel: Kernel, { info, request }: ResourceCall): Steps<TextReply | LogReply> {
  const { name, namespace } = info
  const stored = yield* find(kernel, { resource: Resources.pods, namespace, name })
  const errors = optionErrors(request.query)
  if (errors.length > 0) return yield* Result.fail(invalid("PodLogOptions", "", name, errors))
  const pod = read(stored)
  const container = yield* containerOf(pod, request.query.get("container") ?? "")
  const node = textAt(pod, "spec", "nodeName")
  if (node === "") return { _tag: "Text", status: 204, contentType: TEXT, body: "" }
  const written = writtenBy(pod, container)
  if (written !== undefined) {
    const repeat = QueryValue.natural(textAt(pod, "metadata", "annotations", `${REPEAT}${container}`)) ?? 1
    const first = selected(written, repeat, request.query)
    if (request.query.get("follow") !== "true") return text(limited(first, request.query))
    return { _tag: "Log", pod: stored, container, first, written, isOver: isOver(pod) }
  }
  return yield* Result.fail(unreachable(kernel, node))
})

const TEXT = "text/plain; charset=utf-8"
const COUNTS = ["tailLines", "limitBytes", "sinceSeconds"]

const optionErrors = (query: URLSearchParams): ReadonlyArray<FieldError> => [
  ...COUNTS.flatMap((name) => {
    const value = Number(query.get(name) ?? "1")
    const least = name === "tailLines" ? 0 : 1
    return value >= least ? [] : [invalidValue(name, value, `must be at least ${least}`)]
  }),
  ...(query.has("sinceTime") && query.has("sinceSeconds")
    ? [forbiddenValue("[]", "sinceTime must not be given with sinceSeconds")]
    : [])
]

const namesIn = (pod: JsonObject, list: string): ReadonlyArray<string> =>
  arrayAt(pod, "spec", list).map((container) => textAt(container, "name"))

const containerOf = (pod: JsonObject, asked: string): Outcome<string> => {
  const name = textAt(pod, "metadata", "name")
  const containers = namesIn(pod, "containers")
  const all = [...containers, ...namesIn(pod, "initContainers"), ...namesIn(pod, "ephemeralContainers")]
  const refused = badRequest(`container must be one of pod ${name}: ${all.join(", ")}`)
  if (asked !== "") return all.includes(asked) ? Result.succeed(asked) : Result.fail(refused)
  const usual = textAt(pod, "metadata", "annotations", "kubectl.kubernetes.io/default-container")
  const [only] = containers
  if (all.length === 1 && only !== undefined) return Result.succeed(only)
  if (usual !== "" && containers.includes(usual)) return Result.succeed(usual)
  return Result.fail(refused)
}

/** The end of a log, as far as a query asks for it; its lines carry no times, so a time to begin from changes nothing. */
function* selected(log: string, repeat: number, query: URLSearchParams): Generator<string, undefined> {
  const ended = log === "" || log.endsWith("\n") ? log : `${log}\n`
  const lines = ended.split(/(?<=\n)/)
  const all = lines.length * repeat
  const skipped = Math.max(0, all - (QueryValue.natural(query.get("tailLines") ?? "") ?? all))
  const whole = Math.ceil(skipped / lines.length)
  const cut = whole * lines.length - skipped
  if (cut > 0) yield lines.slice(-cut).join("")
  for (let copy = whole; copy < repeat; copy++) yield ended
}

const limited = (pieces: Iterable<string>, query: URLSearchParams): string => {
  const log = [...pieces].join("")
  const limit = QueryValue.natural(query.get("limitBytes") ?? "")
  return limit === undefined ? log : Buffer.from(log).subarray(0, limit).toString()
}

const unreachable = ({ store }: Kernel, node: string): Failure =>
  // The real server speaks of a pod where the node is gone, too.
  store.get(Resources.nodes, node) === undefined
    ? notFound(Resources.pods, node)
    : {
        code: 500,
        message: `no kubelet listens on node ${node}: a container's log is its pod's annotation ${ANNOTATION}<container>`
      }
