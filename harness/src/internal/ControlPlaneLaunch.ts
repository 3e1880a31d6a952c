/**
 * Starts the programs of one control plane and waits until they serve.
 *
 * @since 0.1.0
 */
import { rm } from "node:fs/promises"
import { Effect, type Scope } from "effect"
import type { FoundProgram, ProgramName } from "../assets/Programs.ts"
import type { ClusterUser } from "../ClusterDriver.ts"
import { ClusterNotReady, type MachineRefused, type ProgramExited } from "../HarnessError.ts"
import * as ControlPlaneFiles from "./ControlPlaneFiles.ts"
import * as ControlPlanePrograms from "./ControlPlanePrograms.ts"
import { attempt } from "./Machine.ts"
import * as Program from "./Program.ts"
import * as ServerProbe from "./ServerProbe.ts"
import type { Watchdog } from "./Watchdog.ts"
import type { Workspace } from "./Workspace.ts"

export interface LaunchOptions {
  readonly programs: ReadonlyMap<ProgramName, FoundProgram>
  readonly place: { readonly workspace: Workspace; readonly watchdog: Watchdog }
  readonly paths: ControlPlaneFiles.ControlPlanePaths
  readonly admin: ClusterUser
  readonly controllers: boolean
  readonly port: number
}

export interface Launched {
  readonly apiServer: Program.Program
  readonly programs: ReadonlyArray<Program.Program>
  readonly caPem: string
}

const SERVES = ["/readyz", "/api/v1/namespaces/default"]
/** Made by the controller manager in every namespace, so its existence proves that reconciliation runs. */
const RECONCILES = ["/api/v1/namespaces/default/serviceaccounts/default"]

/**
 * Starts etcd and the API server, then the controllers if they are wanted.
 *
 * **Errors** as soon as one of the programs ends, not at the deadline. **Limits** ends them with the scope, the last
 * started first.
 */
export const launch = Effect.fnUntraced(function* (
  options: LaunchOptions
): Effect.fn.Return<Launched, ClusterNotReady | MachineRefused | ProgramExited, Scope.Scope> {
  const { paths, port } = options
  const server = `https://127.0.0.1:${port}`
  const start = (name: ProgramName, args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const program = options.programs.get(name)
      if (program === undefined) return yield* Effect.die(new Error(`${name} was not looked up before the start`))
      return yield* Program.start({ name, command: program.path, args }, options.place)
    })

  // A killed etcd leaves its socket, and the API server would wait a second after it found nobody behind it.
  const socket = ControlPlanePrograms.clientSocket(paths)
  yield* attempt("remove the socket of the previous run", () => rm(socket, { force: true }))
  const etcd = yield* start("etcd", ControlPlanePrograms.etcd(paths))
  const apiServer = yield* start("kube-apiserver", ControlPlanePrograms.apiServer(paths, port))

  const caPem = yield* whileRunning(
    [etcd, apiServer],
    Effect.gen(function* () {
      const caPem = yield* ControlPlaneFiles.authority(paths)
      yield* ServerProbe.answers({ server, caPem, token: options.admin.token }, SERVES)
      return caPem
    })
  )
  if (!options.controllers) return { apiServer, programs: [etcd, apiServer], caPem }

  yield* ControlPlaneFiles.writeControllersKubeconfig(paths, {
    name: "control-plane",
    server,
    caPem,
    user: options.admin.name,
    token: options.admin.token
  })
  const manager = yield* start("kube-controller-manager", ControlPlanePrograms.controllerManager(paths))
  const scheduler = yield* start("kube-scheduler", ControlPlanePrograms.scheduler(paths))
  const programs = [etcd, apiServer, manager, scheduler]
  yield* whileRunning(programs, ServerProbe.answers({ server, caPem, token: options.admin.token }, RECONCILES))
  return { apiServer, programs, caPem }
})

/** Waits for something that the programs bring about: their end ends the wait, and a timeout shows the server's log. */
const whileRunning = <A, E>(
  programs: ReadonlyArray<Program.Program>,
  wait: Effect.Effect<A, E | ClusterNotReady>
): Effect.Effect<A, E | ClusterNotReady | ProgramExited> =>
  Effect.raceAllFirst([wait, ...programs.map((program) => program.failsWhenEnded)]).pipe(
    Effect.catchIf(
      (error) => error instanceof ClusterNotReady,
      (error) =>
        Effect.flatMap(
          Effect.forEach(programs, (program) => program.tail),
          (tails) =>
            Effect.fail(
              new ClusterNotReady({
                waitedMs: error.waitedMs,
                last: error.last,
                lastLines: tails.flatMap((tail) => Program.lastLines(tail))
              })
            )
        )
    )
  )
