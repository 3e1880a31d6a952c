/**
 * Makes an etcd forget the past.
 *
 * **Source** etcd API reference, `KV.Range` and `KV.Compact`, by the JSON gateway.
 *
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Client } from "undici"
import type { MachineRefused } from "../HarnessError.ts"
import { attempt } from "./Machine.ts"

const RangeReply = Schema.Struct({ header: Schema.Struct({ revision: Schema.String }) })
const decodeRange = Schema.decodeUnknownPromise(RangeReply)
/** Any key will do: every reply tells the newest revision. */
const SOME_KEY = Buffer.from("/").toString("base64")

/** Compacts everything before the newest revision, on disk too. */
export const compact = (socketPath: string): Effect.Effect<void, MachineRefused> =>
  attempt("compact the cluster's history", async (signal) => {
    const client = new Client("http://etcd", { connect: { socketPath } })
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const reply = await client.request({ method: "POST", path, body: JSON.stringify(body), signal })
      const text = await reply.body.text()
      if (reply.statusCode !== 200) throw new Error(`etcd answered ${reply.statusCode} to ${path}: ${text.trim()}`)
      return JSON.parse(text)
    }
    try {
      const { header } = await decodeRange(await post("/v3/kv/range", { key: SOME_KEY }))
      await post("/v3/kv/compaction", { revision: header.revision, physical: true })
    } finally {
      await client.destroy()
    }
  })
