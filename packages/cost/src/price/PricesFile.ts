/**
 * Keeps the price book and its past in a file: for one running program.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Schema } from "effect"
import { mkdir, open, readFile, rename } from "node:fs/promises"
import { join } from "node:path"
import { CostError, StoreUnavailable, StoreUnreadable } from "../CostError.ts"
import * as PriceHistory from "../PriceHistory.ts"
import { Prices, make } from "../Prices.ts"

/** The file's name in the data directory. */
const FILE_NAME = "prices.json"

const Written = Schema.fromJsonString(PriceHistory.PriceHistory)
const decode = Schema.decodeUnknownEffect(Written, { onExcessProperty: "error" })
const encode = Schema.encodeSync(Written)

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, CostError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new CostError({ reason: new StoreUnavailable({ action, cause }) })
  })

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* attempt("read the prices", () =>
    readFile(path, "utf8").catch((cause: unknown) => (isMissing(cause) ? undefined : Promise.reject(cause)))
  )
  if (text === undefined) return PriceHistory.initial
  return yield* decode(text).pipe(
    Effect.mapError(
      ({ message }) =>
        new CostError({ reason: new StoreUnreadable({ problem: `${FILE_NAME} holds no prices: ${message}` }) })
    )
  )
})

/** Beside the file first, then in its place: a crash leaves the old one or the new one. */
const write = (path: string, history: PriceHistory.PriceHistory) =>
  attempt("keep the prices", async () => {
    const draft = `${path}.new`
    const file = await open(draft, "w", 0o600)
    try {
      await file.writeFile(encode(history))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  })

/**
 * Opens the prices in a directory, and makes it where there is none.
 *
 * **Errors** `StoreUnreadable` for a file that is damaged or was written by a newer program, `StoreUnavailable` when it
 * cannot be read.
 *
 * **Limits** one program at a time; the file has mode 0600, a directory made here 0700.
 *
 * @since 0.1.0
 */
export const layerFile = ({ directory }: { readonly directory: string }): Layer.Layer<Prices, CostError> =>
  Layer.effect(
    Prices,
    Effect.gen(function* () {
      yield* attempt("make the directory of the prices", () => mkdir(directory, { recursive: true, mode: 0o700 }))
      const path = join(directory, FILE_NAME)
      return yield* make(yield* read(path), (history) => write(path, history))
    })
  )
