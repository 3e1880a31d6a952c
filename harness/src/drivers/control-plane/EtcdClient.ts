/**
 * Speaks to the etcd of one cluster, by its JSON gateway on a unix socket.
 *
 * **Source** etcd API reference, `KV` service; https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway for the JSON form.
 */
import { Effect, Schema, type Scope } from "effect"
import { Pool } from "undici"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"

/**
 * One key.
 *
 * **Shape** `value` is base64, empty where only keys were asked for; `revision` is that of its last change, `created` that
 * under which the key came into being: another one means that it was gone in between.
 */
export interface KeyValue {
  readonly key: string
  readonly value: string
  readonly revision: string
  readonly created: string
}

/**
 * Writes a value, or removes the key when there is none.
 *
 * With `over`, it is done only over a key that was created under that revision; `0` means over none.
 */
export interface Operation {
  readonly key: string
  readonly value?: string
  readonly over?: string
}

/** What a commit did. **Shape** `done` has a place for each operation; `revision` is that of all that was done. */
interface Committed {
  readonly revision: string
  readonly done: ReadonlyArray<boolean>
}

export interface Etcd {
  /** Every key that begins with a prefix, in order, as of one revision. */
  readonly read: (prefix: string, options?: { readonly keysOnly?: boolean }) => Effect.Effect<Read, MachineRefused>
  /** Makes the changes at once, under one revision. **Limits** {@link OPERATIONS}, of different keys. */
  readonly commit: (operations: ReadonlyArray<Operation>) => Effect.Effect<Committed, MachineRefused>
  /** Forgets everything before the newest revision, on disk too. */
  readonly compact: Effect.Effect<void, MachineRefused>
}

/** What a read saw. */
interface Read {
  readonly entries: ReadonlyArray<KeyValue>
  readonly revision: string
}

/** What etcd takes in one transaction without being told otherwise: 128, and within it a guarded write counts once more. */
export const OPERATIONS = 127
/** More calls at once gain nothing: the store writes one after the other. */
export const CALLS = 4
/** Keys in one answer: with their values some megabytes at most. */
const PAGE = 500
const KEYS_PAGE = 20_000

const Header = Schema.Struct({ revision: Schema.String })
const RangeReply = Schema.Struct({
  header: Header,
  kvs: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        key: Schema.String,
        value: Schema.optionalKey(Schema.String),
        mod_revision: Schema.String,
        create_revision: Schema.String
      })
    )
  ),
  more: Schema.optionalKey(Schema.Boolean)
})
/** The gateway leaves out what is false, so a guarded write that was not made says nothing. */
const TxnReply = Schema.Struct({
  header: Header,
  succeeded: Schema.Literal(true),
  responses: Schema.Array(
    Schema.Struct({
      response_txn: Schema.optionalKey(Schema.Struct({ succeeded: Schema.optionalKey(Schema.Boolean) }))
    })
  )
})
const decodeRange = Schema.decodeUnknownPromise(RangeReply)
const decodeTxn = Schema.decodeUnknownPromise(TxnReply)

/** Opens no connection before the first call; those that are open end with the scope. */
export const connect = (socketPath: string): Effect.Effect<Etcd, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool("http://etcd", { connections: CALLS, connect: { socketPath } })),
      (pool) => Effect.promise(() => pool.destroy())
    )
    const post = async (path: string, body: unknown, signal: AbortSignal): Promise<unknown> => {
      const reply = await pool.request({ method: "POST", path, body: JSON.stringify(body), signal })
      const text = await reply.body.text()
      if (reply.statusCode !== 200) throw new Error(`etcd answered ${reply.statusCode} to ${path}: ${text.trim()}`)
      return JSON.parse(text)
    }
    const read = async (prefix: string, keysOnly: boolean, signal: AbortSignal): Promise<Read> => {
      const entries: Array<KeyValue> = []
      const end = encode(afterPrefix(prefix))
      let from = encode(prefix)
      let revision = "0"
      for (;;) {
        const page = { key: from, range_end: end, keys_only: keysOnly, limit: keysOnly ? KEYS_PAGE : PAGE, revision }
        const { header, kvs = [], more } = await decodeRange(await post("/v3/kv/range", page, signal))
        if (revision === "0") revision = header.revision
        for (const { key, value = "", mod_revision: revision, create_revision: created } of kvs) {
          entries.push({ key: Buffer.from(key, "base64").toString(), value, revision, created })
        }
        const last = entries.at(-1)
        if (more !== true || last === undefined) return { entries, revision }
        from = encode(`${last.key}\0`)
      }
    }

    return {
      read: (prefix, options) =>
        attempt("read the cluster's store", (signal) => read(prefix, options?.keysOnly === true, signal)),
      commit: (operations) =>
        attempt("write the cluster's store", async (signal) => {
          const body = { success: operations.map(wire) }
          const { header, responses } = await decodeTxn(await post("/v3/kv/txn", body, signal))
          const done = responses.map(
            ({ response_txn }) => response_txn === undefined || response_txn.succeeded === true
          )
          return { revision: header.revision, done }
        }),
      compact: attempt("compact the cluster's history", async (signal) => {
        // Any key will do: every reply tells the newest revision.
        const { header } = await decodeRange(await post("/v3/kv/range", { key: encode("/") }, signal))
        await post("/v3/kv/compaction", { revision: header.revision, physical: true }, signal)
      })
    }
  })

const wire = ({ key: name, over, value }: Operation) => {
  const key = encode(name)
  if (value === undefined) return { request_delete_range: { key } }
  const put = { request_put: { key, value } }
  if (over === undefined) return put
  return { request_txn: { compare: [{ key, target: "CREATE", create_revision: over }], success: [put] } }
}

const encode = (text: string): string => Buffer.from(text).toString("base64")

/** The first key behind all that begin with a prefix, which ends with a character below the last one. */
const afterPrefix = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`
