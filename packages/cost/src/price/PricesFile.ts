/**
 * Stores the price book and its history in a file.
 */
import { Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import { CostError, StoreUnreadable } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"
import * as PriceHistory from "./PriceHistory.ts"
import { Prices, make } from "./Prices.ts"

/** Name of the file in the data directory. */
const FILE_NAME = "prices.json"

const Written = Schema.fromJsonString(PriceHistory.PriceHistory)
const decode = Schema.decodeUnknownEffect(Written, { onExcessProperty: "error" })
const encode = Schema.encodeSync(Written)

const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* DurableFile.read("read the prices", path)
  if (text === undefined) return PriceHistory.initial
  return yield* decode(text).pipe(
    Effect.mapError(
      ({ message }) =>
        new CostError({
          reason: new StoreUnreadable({ problem: `${FILE_NAME} is not a valid price history: ${message}` })
        })
    )
  )
})

/**
 * Opens the prices in a directory, which is created if missing.
 *
 * **Errors** `StoreUnreadable` if the file is damaged or was written by a newer release, `StoreUnavailable` if it cannot be
 * read.
 *
 * **Limits** one process at a time. The file has mode 0600, a created directory 0700. `replace` returns after the new book is
 * synced to disk.
 */
export const layerFile = ({ directory }: { readonly directory: string }): Layer.Layer<Prices, CostError> =>
  Layer.effect(
    Prices,
    Effect.gen(function* () {
      yield* DurableFile.makeDirectory("create the directory of the prices", directory)
      const path = join(directory, FILE_NAME)
      const files = yield* DurableFile.writer
      return yield* make(yield* read(path), (history) => files.replace("save the prices", path, [encode(history)]))
    })
  )
