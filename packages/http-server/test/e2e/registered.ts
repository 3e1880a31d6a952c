/** What the suites of registered clusters share: what is posted, and servers that are no clusters. */
import { RegisteredCluster } from "@quarterdeck/contract/ClustersGroup"
import { Effect, Redacted, Schema } from "effect"
import { createServer, type RequestListener } from "node:http"
import { type Call, Deployment } from "./Deployment.ts"

export const PATH = "/api/v1/clusters"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(RegisteredCluster), { onExcessProperty: "error" })

/** The body that registers a cluster of the fleet by its parts, for its administrator unless another user is named. */
export const partsOf = Effect.fnUntraced(function* (cluster: string, user: string = "admin") {
  const { fleet } = yield* Deployment
  const { caPem, server, token } = yield* (yield* fleet.cluster(cluster)).context(user)
  return {
    name: cluster,
    server,
    caData: Buffer.from(caPem).toString("base64"),
    token: Redacted.value(token)
  }
})

/** Registers a cluster, and gives its row. */
export const register = Effect.fnUntraced(function* (body: unknown, call: Call = {}) {
  const reply = yield* (yield* Deployment).call(PATH, { method: "POST", key: "admin", body, ...call })
  if (reply.status !== 201) return yield* Effect.die(new Error(`${reply.status} ${reply.text}`))
  return (yield* decode(reply.text)).cluster
})

/** Tries to register a cluster, and gives the problem. */
export const refused = (body: unknown, call: Call = {}) =>
  Effect.flatMap(Deployment, ({ problem }) => problem(PATH, { method: "POST", key: "admin", body, ...call }))

/** Drops a cluster. */
export const drop = (name: string, call: Call = {}) =>
  Effect.flatMap(Deployment, (deployment) =>
    deployment.call(`${PATH}/${name}`, { method: "DELETE", key: "admin", ...call })
  )

/** Serves plain HTTP on loopback until the scope closes, and counts what comes. */
export const plainServer = Effect.fnUntraced(function* (answer: RequestListener) {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    answer(request, response)
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die("no port"))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return { port, server: `http://127.0.0.1:${port}`, requests: () => requests }
})
