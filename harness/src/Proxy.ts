/**
 * A TCP proxy in front of a cluster: it sees how a client treats its connections, and can take them away.
 *
 * TLS passes through unopened, so certificates, names and credentials are those of the cluster; one TCP connection is one
 * TLS connection.
 *
 * @since 0.1.0
 */
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, type Scope } from "effect"
import { ADMIN, type FleetCluster } from "./FleetCluster.ts"
import { HarnessError, MachineRefused } from "./HarnessError.ts"
import * as Kubeconfig from "./Kubeconfig.ts"

export interface Proxy {
  /** `https://127.0.0.1:<port>` */
  readonly server: string
  /** How many connections have been accepted since the start. */
  readonly accepted: Effect.Effect<number>
  /** How many of them are open now. */
  readonly open: Effect.Effect<number>
  /** Resets every open connection; new ones are accepted as before. */
  readonly cut: Effect.Effect<void>
  /** From now on nothing passes in either direction, on old connections and new ones, which are still accepted. */
  readonly stall: Effect.Effect<void>
  /** Lets everything pass again, also what waited. */
  readonly resume: Effect.Effect<void>
}

/** A proxy that stands for one cluster of a fleet. */
export interface ClusterProxy extends Proxy {
  /** The administrator's kubeconfig of the cluster, with the proxy as its server. */
  readonly kubeconfig: string
  /** The same for another user. **Errors** `InvalidFleet` when the fleet has no such user. */
  readonly kubeconfigFor: (user: string) => Effect.Effect<string, HarnessError>
}

/** The two ends of one connection. */
interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

/**
 * Listens on a free port of 127.0.0.1 and passes every connection on to `target`, an `https://host:port`.
 *
 * **Errors** `MachineRefused` when it cannot listen. **Limits** closing the scope resets what is open. A target that does
 * not answer resets the client's connection.
 *
 * @since 0.1.0
 */
export const make = (target: string): Effect.Effect<Proxy, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(target)
    const pairs = new Set<Pair>()
    let accepted = 0
    let stalled = false

    const cut = Effect.sync(() => {
      for (const { client, upstream } of pairs) {
        client.resetAndDestroy()
        upstream.destroy()
      }
    })
    const join = (client: Socket): void => {
      const pair: Pair = { client, upstream: connect(Number(port), hostname) }
      accepted++
      pairs.add(pair)
      endTogether(pair, () => pairs.delete(pair))
      if (stalled) hold(pair)
      else couple(pair)
    }
    const server = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => listening(createServer({ noDelay: true }, join)),
        catch: (cause) => new HarnessError({ reason: new MachineRefused({ action: "listen as a proxy", cause }) })
      }),
      (server) =>
        Effect.andThen(
          Effect.sync(() => server.close()),
          cut
        )
    )
    const address = server.address()
    if (address === null || typeof address === "string") {
      return yield* Effect.die(new Error("a TCP server that listens has an address with a port"))
    }
    return {
      server: `https://127.0.0.1:${address.port}`,
      accepted: Effect.sync(() => accepted),
      open: Effect.sync(() => pairs.size),
      cut,
      stall: Effect.sync(() => {
        stalled = true
        for (const pair of pairs) hold(pair)
      }),
      resume: Effect.sync(() => {
        stalled = false
        for (const pair of pairs) couple(pair)
      })
    }
  })

/**
 * Puts a proxy in front of a cluster and gives kubeconfigs that lead through it.
 *
 * **Example**
 *
 * ```ts
 * const proxy = yield* Proxy.through(yield* fleet.cluster("eu"))
 * // point the client at proxy.kubeconfig, then
 * assert.isAtMost(yield* proxy.accepted, 4)
 * ```
 *
 * @since 0.1.0
 */
export const through = (cluster: FleetCluster): Effect.Effect<ClusterProxy, HarnessError, Scope.Scope> =>
  Effect.gen(function* () {
    const proxy = yield* make(cluster.server)
    const kubeconfigFor = (user: string) =>
      Effect.map(cluster.context(user), (context) => Kubeconfig.print([{ ...context, server: proxy.server }]))
    return { ...proxy, kubeconfig: yield* kubeconfigFor(ADMIN.name), kubeconfigFor }
  })

/** Each end's close ends the other, and so does a failure, which the client sees as a reset. */
const endTogether = ({ client, upstream }: Pair, ended: () => void): void => {
  client.once("error", () => upstream.destroy())
  upstream.once("error", () => client.resetAndDestroy())
  upstream.once("close", () => client.destroy())
  client.once("close", () => {
    upstream.destroy()
    ended()
  })
}

const couple = ({ client, upstream }: Pair): void => {
  client.pipe(upstream)
  upstream.pipe(client)
}

const hold = ({ client, upstream }: Pair): void => {
  client.unpipe(upstream)
  upstream.unpipe(client)
  client.pause()
  upstream.pause()
}

const listening = (server: Server): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      server.off("error", reject)
      resolve(server)
    })
  })
