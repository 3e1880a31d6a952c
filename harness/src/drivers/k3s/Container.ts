/** Starts a cluster's container through testcontainers, and explains a failure. */
import { Effect, Result, Schedule, type Scope } from "effect"
import type { LogTail } from "@quarterdeck/embedded-cluster/LogTail"
import { ClusterNotReady, type ContainerFailed, MachineRefused, PortsTaken } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"
import type { ContainerOptions } from "./ContainerOptions.ts"
import * as Containers from "./Containers.ts"
import type { EngineError } from "./DockerEngine.ts"
import { failure } from "./Failure.ts"
import { followInto } from "./ContainerLog.ts"
import * as Packages from "./Packages.ts"
import { labels } from "./Labels.ts"

export interface Started {
  readonly id: string
  /** The administrator's kubeconfig, with a client certificate. Its server is the address on the Docker host. */
  readonly kubeconfig: string
}

const POLL = "100 millis"
/** Time that an interrupted start waits for Docker to finish creating the container. */
const SETTLE_WITHIN = "30 seconds"
const KEPT_LINES = 200
const PORT_TAKEN = /port is already allocated|address already in use/i

/**
 * Creates and starts a container. Closing the scope removes it.
 *
 * **Errors** `PortsTaken` if its port is in use; `ContainerFailed` as soon as Docker refuses it or it ends;
 * `ClusterNotReady` at the deadline.
 */
export const start = Effect.fnUntraced(function* (
  options: ContainerOptions
): Effect.fn.Return<Started, ContainerFailed | ClusterNotReady | MachineRefused | PortsTaken, Scope.Scope> {
  const life: { id?: string; abandoned: boolean; settled: Promise<unknown> } = {
    abandoned: false,
    settled: Promise.resolve()
  }
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  yield* Effect.addFinalizer(() => {
    life.abandoned = true
    if (life.id !== undefined) return removed(life.id)
    // Docker may be creating the container now. Then the hook below removes it, and the start fails.
    return Effect.promise(() => life.settled).pipe(Effect.timeoutOption(SETTLE_WITHIN), Effect.asVoid)
  })
  const { ClusterContainer } = yield* attempt("load testcontainers", () => import("./ClusterContainer.ts"))
  const container = new ClusterContainer(options, yield* labels, async (id) => {
    life.id = id
    if (!life.abandoned) return
    // The start was interrupted while Docker created the container, so it must be removed here.
    await run(removed(id))
    throw new Error("the start was interrupted")
  })
  const begun = Effect.tryPromise({
    try: () => {
      const started = container.start()
      life.settled = started.catch(() => undefined)
      return started
    },
    catch: (cause) => reasonOf(cause)
  })
  const ended = Effect.suspend(() => (life.id === undefined ? Effect.undefined : endOf(life.id))).pipe(
    Effect.repeat({ schedule: Schedule.spaced(POLL), until: (state) => state !== undefined }),
    Effect.flatMap(() => Effect.fail("the container ended"))
  )
  const result = yield* Effect.result(Effect.raceFirst(begun, ended))
  if (Result.isFailure(result)) return yield* explained(options, life.id, result.failure)
  return { id: result.success.getId(), kubeconfig: result.success.getKubeConfig() }
})

/** Returns whether Docker refused a start because the port is in use. */
export const isPortTaken = (refusal: string): boolean => PORT_TAKEN.test(refusal)

/** Waits until a running container ends, then fails with the reason. */
export const failsWhenEnded = (id: string, log: LogTail): Effect.Effect<never, ContainerFailed> =>
  endOf(id).pipe(
    Effect.repeat({ schedule: Schedule.spaced(POLL), until: (state) => state !== undefined }),
    Effect.flatMap((state) => Effect.fail(failure({ state, lines: log.lines() })))
  )

/** Appends the container's further output to `log` until the container ends. */
export const follow = (id: string, log: LogTail): Effect.Effect<void, MachineRefused> =>
  Effect.gen(function* () {
    const { StartedAt } = yield* Effect.mapError(
      Containers.stateOf(id),
      (cause) => new MachineRefused({ action: "inspect the cluster's container", cause })
    )
    yield* attempt("read the cluster's log", async () => {
      const { container } = await Packages.engine()
      followInto(log, await container.logs(container.getById(id), { since: Date.parse(StartedAt) / 1000 }))
    })
  })

/** Runs a command in a container and waits for its end. */
export const exec = (id: string, command: ReadonlyArray<string>) =>
  attempt("run a command in the cluster's container", async () => {
    const { container } = await Packages.engine()
    const { exitCode, stderr, stdout } = await container.exec(container.getById(id), [...command])
    return { exitCode, stdout, stderr }
  })

/**
 * Returns the state of a container that has ended. Undefined if it is running, has not started, or cannot be inspected.
 */
const endOf = (id: string): Effect.Effect<Containers.ContainerState | undefined> =>
  Containers.stateOf(id).pipe(
    Effect.map((state) => (state.Status === "exited" || state.Status === "dead" ? state : undefined)),
    // A container that has been removed cannot be inspected; its log has the reason.
    Effect.catch(() => Effect.undefined)
  )

const explained = Effect.fnUntraced(function* (options: ContainerOptions, id: string | undefined, refusal: string) {
  if (isPortTaken(refusal)) return yield* new PortsTaken({ attempts: 1 })
  const state = id === undefined ? undefined : yield* endOf(id)
  const engineLog = id === undefined ? "" : yield* Effect.orElseSucceed(Containers.logTail(id, KEPT_LINES), () => "")
  const followedLog = options.log.lines()
  const error = failure({ refusal, state, lines: engineLog === "" ? followedLog : engineLog.split("\n") })
  if (error.kind !== "Exited" || !/not received after/.test(refusal)) return yield* error
  return yield* new ClusterNotReady({
    waitedMs: options.startWithinMs,
    last: "the log has no message that the node is up",
    lastLines: error.lastLines
  })
})

/** Removes a container. A failure is only logged, because closing a scope cannot fail. A later sweep removes the rest. */
const removed = (id: string): Effect.Effect<void> =>
  Containers.remove(id).pipe(Effect.catch((error: EngineError) => Effect.logWarning(error.message)))

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
