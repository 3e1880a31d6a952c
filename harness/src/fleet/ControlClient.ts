/**
 * A fleet that another process runs, used as if it ran here.
 *
 * Objects are read and written at the clusters themselves; only what controls a cluster goes through the process that
 * runs it.
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
 * **Errors** the fleet's calls fail with the errors that they fail with where it runs, `MachineRefused` when that process
 * cannot be reached. **Limits** closing the scope leaves the fleet as it is, but for the faults that were held.
 */
export const connect = Effect.fn("ControlClient.connect")(function* (
  connection: FleetConnection
): Effect.fn.Return<RunningFleet, never, Scope.Scope> {
  const clusters = yield* Effect.forEach(connection.clusters, (described) => clusterOf(connection, described))
  const parent = clusters.find(({ role }) => role === "parent")
  if (parent === undefined) return yield* Effect.die(new Error("a fleet has a parent"))
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
  // What the pool kept from before would fail the first call after it: the server is another one now.
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
    // The proxy is where the cluster is; its counters stay there.
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
  asked: Call
): Effect.fn.Return<Extract<Reply, { readonly _tag: "Done" }>, HarnessError> {
  const text = yield* Effect.tryPromise({
    try: async (signal) => {
      return await (await post(connection, asked, signal)).text()
    },
    catch: unreachable
  })
  const reply = yield* decodeReply(text).pipe(Effect.mapError(unreachable))
  return reply._tag === "Done" ? reply : yield* Effect.fail(reply.error)
})

const done = (connection: FleetConnection, asked: Call): Effect.Effect<void, HarnessError> =>
  Effect.asVoid(call(connection, asked))

/** Opens a connection that holds a fault, and leaves it to the scope to heal it. */
const hold = Effect.fnUntraced(function* (connection: FleetConnection, cluster: string, given: Fault) {
  const fault = yield* Effect.mapError(decodeFault(given), (reason) => new HarnessError({ cluster, reason }))
  const id = randomUUID()
  const stop = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    // Asked for by name, so that the fault is gone afterwards; without an answer the end of the connection has to do.
    (stop) =>
      Effect.andThen(
        Effect.ignore(done(connection, { _tag: "Heal", id })),
        Effect.sync(() => stop.abort())
      )
  )
  const begun = yield* Effect.tryPromise({
    try: async () => {
      const body = await post(connection, { _tag: "Hold", id, cluster, fault }, stop.signal)
      // The end of the fault ends the reply, or the other way round; either is seen by asking for it to be healed.
      body.on("error", () => undefined)
      const first = await body.iterator({ destroyOnReturn: false }).next()
      body.resume()
      return Buffer.isBuffer(first.value) ? first.value.toString("utf8") : ""
    },
    catch: unreachable
  })
  if (begun === HELD) return
  const reply = yield* decodeReply(begun).pipe(Effect.mapError(unreachable))
  if (reply._tag === "Failed") return yield* Effect.fail(reply.error)
})

/** A held fault lasts as long as its reply, and a restart as long as it takes: only the caller ends a call. */
const WITHOUT_DEADLINE = { headersTimeout: 0, bodyTimeout: 0 } as const

const post = async (
  connection: FleetConnection,
  asked: Call,
  signal: AbortSignal
): Promise<Dispatcher.ResponseData["body"]> => {
  const { body, statusCode } = await request(connection.url, {
    ...WITHOUT_DEADLINE,
    method: "POST",
    signal,
    headers: { authorization: `Bearer ${connection.token}`, "content-type": "application/json" },
    body: await Effect.runPromise(Effect.orDie(encodeCall(asked)))
  })
  if (statusCode === 200) return body
  await body.dump()
  throw new Error(`it answers with status ${statusCode}`)
}

const unreachable = (cause: unknown) =>
  new HarnessError({ reason: new MachineRefused({ action: "reach the process that runs the fleet", cause }) })

const refuse = (cluster: string, problem: string): Effect.Effect<never, HarnessError> =>
  Effect.fail(new HarnessError({ cluster, reason: new InvalidFleet({ problem }) }))
