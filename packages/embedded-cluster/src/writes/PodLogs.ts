/**
 * Replies with pod logs, which a real server fetches from the node's kubelet.
 *
 * There are no kubelets, so a container's log is the value of its pod's annotation
 * `log.harness.quarterdeck.dev/<container>`. Without the annotation, the log comes from the option `podLog`.
 * With neither, the reply is that of a real server whose kubelet is unreachable: empty for a pod without a node, 404
 * if the node is gone, otherwise 500. An empty log would suggest a running container that wrote nothing.
 *
 * `repeat.log.harness.quarterdeck.dev/<container>` repeats the text, because an annotation is limited to 256 KiB. A
 * client that follows a log receives what is appended to the annotation, until the pod finishes or is deleted.
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

/** Prefixes of the annotations with a container's log and with its number of repetitions. */
const ANNOTATION = "log.harness.quarterdeck.dev/"
const REPEAT = `repeat.${ANNOTATION}`

/** A followed log. **Shape** `first` is the requested part of `written`, the log at the time of the request. */
export interface LogReply {
  readonly _tag: "Log"
  readonly pod: Pick<Stored, "key" | "uid">
  readonly container: string
  readonly first: Iterable<string>
  /** True if each line begins with its time. */
  readonly isTimed: boolean
  /** Converts appended text to the requested form. */
  readonly form: (text: string) => string
  readonly written: string
  readonly isOver: boolean
}

const isAnnotated = (pod: JsonObject, container: string): boolean =>
  at(pod, "metadata", "annotations", `${ANNOTATION}${container}`) !== undefined

const same = (text: string): string => text

/** Removes the time that each line of a `podLog` begins with. */
const untimed = (text: string): string => text.replaceAll(/^\S+ /gm, "")

/** Lines of a `podLog` that are not older than `sinceSeconds` or `sinceTime` allows. */
const since = (text: string, query: URLSearchParams, nowMs: number): string => {
  const seconds = QueryValue.natural(query.get("sinceSeconds") ?? "")
  const fromMs = seconds === undefined ? Date.parse(query.get("sinceTime") ?? "") : nowMs - seconds * 1_000
  if (Number.isNaN(fromMs)) return text
  const isOld = (line: string) => Date.parse(line.slice(0, line.indexOf(" "))) < fromMs
  return text
    .split(/(?<=\n)/)
    .filter((line) => !isOld(line))
    .join("")
}

/** Log of a container, from its pod's annotation or from the option `podLog`. */
export const writtenBy = ({ podLog }: Kernel, pod: JsonObject, container: string): string | undefined => {
  const written = at(pod, "metadata", "annotations", `${ANNOTATION}${container}`)
  return typeof written === "string" ? written : podLog?.(pod, container)
}

/** Returns whether the containers of a pod have finished. */
export const isOver = (pod: JsonObject): boolean => ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase"))

/**
 * Replies with the log of a container.
 *
 * **Errors** 400 for a container that the pod does not have, 404, 422 for invalid options, 500.
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
  const written = writtenBy(kernel, pod, container)
  if (written !== undefined) {
    const repeat = QueryValue.natural(textAt(pod, "metadata", "annotations", `${REPEAT}${container}`)) ?? 1
    const isTimed = !isAnnotated(pod, container)
    const form = isTimed && request.query.get("timestamps") !== "true" ? untimed : same
    const wanted = isTimed ? since(written, request.query, kernel.nowMs()) : written
    const first = selected(form(wanted), repeat, request.query)
    if (request.query.get("follow") !== "true") return text(limited(first, request.query))
    return { _tag: "Log", pod: stored, container, first, form, isTimed, written, isOver: isOver(pod) }
  }
  return yield* Result.fail(kernel.podLog === undefined ? unreachable(kernel, node) : waiting(pod, container))
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
    ? [forbiddenValue("[]", "sinceTime must not be set together with sinceSeconds")]
    : [])
]

const namesIn = (pod: JsonObject, list: string): ReadonlyArray<string> =>
  arrayAt(pod, "spec", list).map((container) => textAt(container, "name"))

const containerOf = (pod: JsonObject, requested: string): Outcome<string> => {
  const name = textAt(pod, "metadata", "name")
  const containers = namesIn(pod, "containers")
  const all = [...containers, ...namesIn(pod, "initContainers"), ...namesIn(pod, "ephemeralContainers")]
  const refused = badRequest(`container must be one of the containers of pod ${name}: ${all.join(", ")}`)
  if (requested !== "") return all.includes(requested) ? Result.succeed(requested) : Result.fail(refused)
  const usual = textAt(pod, "metadata", "annotations", "kubectl.kubernetes.io/default-container")
  const [only] = containers
  if (all.length === 1 && only !== undefined) return Result.succeed(only)
  if (usual !== "" && containers.includes(usual)) return Result.succeed(usual)
  return Result.fail(refused)
}

/**
 * Last `tailLines` lines of a log, or all lines. Lines of an annotation have no timestamps, so `sinceTime` and
 * `sinceSeconds` have no effect on them.
 */
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

/** The reply of a kubelet about a container that has not started. */
const waiting = (pod: JsonObject, container: string): Failure => {
  const status = arrayAt(pod, "status", "containerStatuses").find((one) => textAt(one, "name") === container)
  const reason = textAt(status, "state", "waiting", "reason") || "ContainerCreating"
  const explained = PULLING.has(reason) ? "trying and failing to pull image" : reason
  const name = textAt(pod, "metadata", "name")
  return badRequest(`container "${container}" in pod "${name}" is waiting to start: ${explained}`)
}

const PULLING = new Set(["ErrImagePull", "ImagePullBackOff"])

const unreachable = ({ store }: Kernel, node: string): Failure =>
  // As on the real server, the message calls the missing node a pod.
  store.get(Resources.nodes, node) === undefined
    ? notFound(Resources.pods, node)
    : {
        code: 500,
        message: `node ${node} has no kubelet; set the pod's annotation ${ANNOTATION}<container> to give the container a log`
      }
