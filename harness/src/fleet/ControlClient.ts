/**
 * A fleet in another process, used like a fleet in this process.
 *
 * Objects are read from and written to the clusters directly. Only actions that control a cluster, such as `kill`, go
 * through the process that runs the fleet.
 */
import { randomUUID } from "node:crypto"
import { Effect, Option, Redacted, type Scope } from "effect"
import { type Dispatcher, request } from "undici"
import * as ClusterApi from "../client/ClusterApi.ts"
import { decode as decodeFault, type Fault } from "../faults/Fault.ts"
import type { FleetCluster } from "./FleetCluster.ts"
import { ADMIN } from "../drivers/ClusterDriver.ts"
import { HarnessError, InvalidFleet, MachineRefused } from "../machine/HarnessError.ts"
import * as Kubeconfig from "../client/Kubeconfig.ts"
import { byName, type RunningFleet } from "./RunningFleet.ts"
import { type Action, type Call, decodeReply, encodeCall, type Reply } from "./ControlProtocol.ts"
import { HELD } from "./ControlServer.ts"
import type { FleetConnection } from "./FleetConnection.ts"

/**
 * Connects to a fleet.
 *
 * **Errors** the fleet's operations fail with the errors of the process that runs it, or with `MachineRefused` if it
 * cannot be reached. **Limits** closing the scope heals the faults that this client injected. The fleet keeps
 * running.
 */
export const connect = Effect.fn("ControlClient.connect")(function* (
  connection: FleetConnection
): Effect.fn.Return<RunningFleet, never, Scope.Scope> {
  const clusters = yield* Effect.forEach(connection.clusters, (described) => clusterOf(connection, described))
  const parent = clusters.find(({ role }) => role === "parent")
  if (parent === undefined) return yield* Effect.die(new Error("the connection names no parent cluster"))
  const kubeconfigOf = Effect.fnUntraced(function* (user: string) {
    return Kubeconfig.print(yield* Effect.forEach(clusters, (cluster) => cluster.context(user)))
  })
  return {
    parent,
    children: clusters.filter((cluster) => cluster !== parent),
    clusters,
    cluster: byName(clusters),
    kubeconfig: yield* Effect.orDie(kubeconfigOf(ADMIN.name)),
    kubeconfigFor: kubeconfigOf,
    checkpoint: done(connection, { _tag: "ActOnAll", action: "checkpoint" }),
    reset: done(connection, { _tag: "ActOnAll", action: "reset" }),
    save: (directory) => done(connection, { _tag: "Save", directory })
  }
})

const clusterOf = Effect.fnUntraced(function* (
  connection: FleetConnection,
  described: FleetConnection["clusters"][number]
): Effect.fn.Return<FleetCluster, never, Scope.Scope> {
  const { caPem, name, role, server } = described
  const context = (user: string): Effect.Effect<Kubeconfig.KubeconfigContext, HarnessError> => {
    const found = described.users.find((candidate) => candidate.name === user)
    if (found === undefined) return refuse(name, `no user is named ${user}`)
    return Effect.succeed({ name, server, caPem, user, token: Redacted.make(found.token) })
  }
  const admin = yield* Effect.orDie(context(ADMIN.name))
  const api = yield* ClusterApi.make({ cluster: name, ...described.direct, token: admin.token })
  const act = (action: Action) => done(connection, { _tag: "Act", cluster: name, action })
  // Connections to the previous server process would fail the next call.
  const actAndReconnect = (action: Action) => Effect.andThen(act(action), api.reconnect)
  return {
    name,
    role,
    server,
    caPem,
    kubeconfig: Kubeconfig.print([admin]),
    context,
    token: (user) => Effect.map(context(user), ({ token }) => token),
    api,
    ...(described.hostAddress === undefined ? {} : { hostAddress: described.hostAddress }),
    // The proxy and its counters are in the process that runs the cluster.
    faults: Option.none(),
    inject: (fault) => hold(connection, name, fault),
    pid: call(connection, { _tag: "Pid", cluster: name }).pipe(
      Effect.map(({ pid }) => Option.fromUndefinedOr(pid)),
      Effect.orElseSucceed(() => Option.none())
    ),
    kill: act("kill"),
    restart: actAndReconnect("restart"),
    restartEmpty: actAndReconnect("restartEmpty"),
    expireHistory: actAndReconnect("expireHistory"),
    checkpoint: act("checkpoint"),
    reset: act("reset"),
    save: (directory) => done(connection, { _tag: "Save", cluster: name, directory }),
    logs: call(connection, { _tag: "Logs", cluster: name }).pipe(
      Effect.map(({ text }) => text ?? ""),
      Effect.catch((error) => Effect.succeed(error.message))
    )
  }
})

const call = Effect.fnUntraced(function* (
  connection: FleetConnection,
  message: Call
): Effect.fn.Return<Extract<Reply, { readonly _tag: "Done" }>, HarnessError> {
  const text = yield* Effect.tryPromise({
    try: async (signal) => {
      return await (await post(connection, message, signal)).text()
    },
    catch: unreachable
  })
  const reply = yield* decodeReply(text).pipe(Effect.mapError(unreachable))
  return reply._tag === "Done" ? reply : yield* Effect.fail(reply.error)
})

const done = (connection: FleetConnection, message: Call): Effect.Effect<void, HarnessError> =>
  Effect.asVoid(call(connection, message))

/** Injects a fault over a connection that stays open. Closing the scope heals it. */
const hold = Effect.fnUntraced(function* (connection: FleetConnection, cluster: string, input: Fault) {
  const fault = yield* Effect.mapError(decodeFault(input), (reason) => new HarnessError({ cluster, reason }))
  const id = randomUUID()
  const stop = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    // Healing by id waits until the fault is gone. If that fails, closing the connection heals it.
    (stop) =>
      Effect.andThen(
        Effect.ignore(done(connection, { _tag: "Heal", id })),
        Effect.sync(() => stop.abort())
      )
  )
  const firstChunk = yield* Effect.tryPromise({
    try: async () => {
      const body = await post(connection, { _tag: "Hold", id, cluster, fault }, stop.signal)
      // The stream errors when the connection closes; `Heal` detects that.
      body.on("error", () => undefined)
      const first = await body.iterator({ destroyOnReturn: false }).next()
      body.resume()
      return Buffer.isBuffer(first.value) ? first.value.toString("utf8") : ""
    },
    catch: unreachable
  })
  if (firstChunk === HELD) return
  const reply = yield* decodeReply(firstChunk).pipe(Effect.mapError(unreachable))
  if (reply._tag === "Failed") return yield* Effect.fail(reply.error)
})

/** No timeout: a held fault lasts as long as its response, and a restart may take long. */
const WITHOUT_DEADLINE = { headersTimeout: 0, bodyTimeout: 0 } as const

const post = async (
  connection: FleetConnection,
  message: Call,
  signal: AbortSignal
): Promise<Dispatcher.ResponseData["body"]> => {
  const { body, statusCode } = await request(connection.url, {
    ...WITHOUT_DEADLINE,
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${connection.token}`, "content-type": "application/json" },
    body: await Effect.runPromise(Effect.orDie(encodeCall(message)))
  })
  if (statusCode === 200) return body
  await body.dump()
  throw new Error(`unexpected HTTP status ${statusCode}`)
}

const unreachable = (cause: unknown) =>
  new HarnessError({ reason: new MachineRefused({ action: "reach the process that runs the fleet", cause }) })

const refuse = (cluster: string, problem: string): Effect.Effect<never, HarnessError> =>
  Effect.fail(new HarnessError({ cluster, reason: new InvalidFleet({ problem }) }))
