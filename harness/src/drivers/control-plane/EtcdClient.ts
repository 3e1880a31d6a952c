/**
 * A client of one cluster's etcd, through its JSON gateway on a Unix socket.
 *
 * **Source** etcd API reference, `KV` service; https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway for the JSON form.
 */
import { Effect, Schema, type Scope } from "effect"
import { Pool } from "undici"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"

/**
 * A key and its value.
 *
 * **Shape** `value` is base64, or empty after a read of keys only. `revision` is that of the last change, `created`
 * that of the key's creation. A changed `created` means that the key was deleted in between.
 */
export interface KeyValue {
  readonly key: string
  readonly value: string
  readonly revision: string
  readonly created: string
}

/**
 * Writes a value, or deletes the key if `value` is absent.
 *
 * With `over`, the write happens only if the present key was created at that revision. `0` means that the key must not
 * exist.
 */
export interface Operation {
  readonly key: string
  readonly value?: string
  readonly over?: string
}

/** The result of a commit. **Shape** `done` has one entry per operation. All changes share `revision`. */
interface Committed {
  readonly revision: string
  readonly done: ReadonlyArray<boolean>
}

export interface Etcd {
  /** Returns every key with a prefix, in order, at one revision. */
  readonly read: (prefix: string, options?: { readonly keysOnly?: boolean }) => Effect.Effect<Read, MachineRefused>
  /** Commits the changes in one transaction. **Limits** {@link OPERATIONS} changes of different keys. */
  readonly commit: (operations: ReadonlyArray<Operation>) => Effect.Effect<Committed, MachineRefused>
  /** Drops all revisions before the newest one, on disk too. */
  readonly compact: Effect.Effect<void, MachineRefused>
}

/** The result of a read. */
interface Read {
  readonly entries: ReadonlyArray<KeyValue>
  readonly revision: string
}

/** Maximum number of operations of one transaction: etcd's default of 128, minus one for a conditional write. */
export const OPERATIONS = 127
/** Maximum number of parallel calls. More would not be faster, because the store serialises writes. */
export const CALLS = 4
/** Number of keys per page. With their values a page takes some megabytes at most. */
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
/**
 * Reply to a transaction. The gateway omits false values, so `succeeded` is absent for a conditional write that did not
 * happen.
 */
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

/** Creates a client. It connects at the first call. Closing the scope closes the connections. */
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
        // Every response contains the newest revision, so any key will do.
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

/** Returns the first key after all keys with a prefix. */
const afterPrefix = (prefix: string): string =>
  `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`

/** Drops all revisions of a store before the newest one, on disk too. */
export const compact = (socketPath: string): Effect.Effect<void, MachineRefused> =>
  Effect.scoped(Effect.flatMap(connect(socketPath), (etcd) => etcd.compact))
