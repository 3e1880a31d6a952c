/** Starts one cluster's container through testcontainers, and says on one screen why that failed. */
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
  /** The administrator's, with a client certificate; its server is the address on the Docker host. */
  readonly kubeconfig: string
}

const POLL = "100 millis"
/** How long an interrupted start waits for Docker to have made what it was asked for. */
const SETTLE_WITHIN = "30 seconds"
const KEPT_LINES = 200
const PORT_TAKEN = /port is already allocated|address already in use/i

/**
 * Makes and starts a container, and removes it with the scope.
 *
 * **Errors** `PortsTaken` when somebody has its port; `ContainerFailed` when Docker refuses it or it ends, without waiting
 * for the deadline; `ClusterNotReady` at the deadline.
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
    // Docker may be making it at this moment; then the hook below removes it, and the start fails.
    return Effect.promise(() => life.settled).pipe(Effect.timeoutOption(SETTLE_WITHIN), Effect.asVoid)
  })
  const { ClusterContainer } = yield* attempt("load testcontainers", () => import("./ClusterContainer.ts"))
  const container = new ClusterContainer(options, yield* labels, async (id) => {
    life.id = id
    if (!life.abandoned) return
    // The start was interrupted while Docker made it; nobody else would remove it.
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
    Effect.flatMap(() => Effect.fail("it ended"))
  )
  const result = yield* Effect.result(Effect.raceFirst(begun, ended))
  if (Result.isFailure(result)) return yield* explained(options, life.id, result.failure)
  return { id: result.success.getId(), kubeconfig: result.success.getKubeConfig() }
})

/** Tells whether Docker refused a start because somebody else listens on the port. */
export const isPortTaken = (refusal: string): boolean => PORT_TAKEN.test(refusal)

/** Fails as soon as a running container has ended. */
export const failsWhenEnded = (id: string, log: LogTail): Effect.Effect<never, ContainerFailed> =>
  endOf(id).pipe(
    Effect.repeat({ schedule: Schedule.spaced(POLL), until: (state) => state !== undefined }),
    Effect.flatMap((state) => Effect.fail(failure({ state, lines: log.lines() })))
  )

/** Gathers the rest of a log that is being written from now on. **Limits** ends with the container. */
export const follow = (id: string, log: LogTail): Effect.Effect<void, MachineRefused> =>
  Effect.gen(function* () {
    const { StartedAt } = yield* Effect.mapError(
      Containers.stateOf(id),
      (cause) => new MachineRefused({ action: "look at the cluster's container", cause })
    )
    yield* attempt("read the cluster's log", async () => {
      const { container } = await Packages.engine()
      followInto(log, await container.logs(container.getById(id), { since: Date.parse(StartedAt) / 1000 }))
    })
  })

/** Runs a command inside a container, and waits for its end. */
export const exec = (id: string, command: ReadonlyArray<string>) =>
  attempt("run a command in the cluster's container", async () => {
    const { container } = await Packages.engine()
    const { exitCode, stderr, stdout } = await container.exec(container.getById(id), [...command])
    return { exitCode, stdout, stderr }
  })

/** How a container ended; undefined while it runs, has not begun, or cannot be asked about. */
const endOf = (id: string): Effect.Effect<Containers.ContainerState | undefined> =>
  Containers.stateOf(id).pipe(
    Effect.map((state) => (state.Status === "exited" || state.Status === "dead" ? state : undefined)),
    // It may have been removed already; then its log tells what there is to tell.
    Effect.catch(() => Effect.undefined)
  )

const explained = Effect.fnUntraced(function* (options: ContainerOptions, id: string | undefined, refusal: string) {
  if (isPortTaken(refusal)) return yield* new PortsTaken({ attempts: 1 })
  const state = id === undefined ? undefined : yield* endOf(id)
  const kept = id === undefined ? "" : yield* Effect.orElseSucceed(Containers.logTail(id, KEPT_LINES), () => "")
  const heard = options.log.lines()
  const error = failure({ refusal, state, lines: kept === "" ? heard : kept.split("\n") })
  if (error.kind !== "Exited" || !/not received after/.test(refusal)) return yield* error
  return yield* new ClusterNotReady({
    waitedMs: options.startWithinMs,
    last: "its log did not say that the node is up",
    lastLines: error.lastLines
  })
})

/** Closing a scope cannot fail: what stays is swept once this process has ended. */
const removed = (id: string): Effect.Effect<void> =>
  Containers.remove(id).pipe(Effect.catch((error: EngineError) => Effect.logWarning(error.message)))

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
