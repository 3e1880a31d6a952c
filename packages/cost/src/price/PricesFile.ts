/**
 * Keeps the price book and its past in a file: for one running program.
 */
import { Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import { CostError, StoreUnreadable } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"
import * as PriceHistory from "./PriceHistory.ts"
import { Prices, make } from "./Prices.ts"

/** The file's name in the data directory. */
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
        new CostError({ reason: new StoreUnreadable({ problem: `${FILE_NAME} holds no prices: ${message}` }) })
    )
  )
})

/**
 * Opens the prices in a directory, and makes it where there is none.
 *
 * **Errors** `StoreUnreadable` for a file that is damaged or was written by a newer program, `StoreUnavailable` when it
 * cannot be read.
 *
 * **Limits** one program at a time; the file has mode 0600, a directory made here 0700. A new book survives a loss of power
 * once it counts.
 */
export const layerFile = ({ directory }: { readonly directory: string }): Layer.Layer<Prices, CostError> =>
  Layer.effect(
    Prices,
    Effect.gen(function* () {
      yield* DurableFile.makeDirectory("make the directory of the prices", directory)
      const path = join(directory, FILE_NAME)
      return yield* make(yield* read(path), (history) => DurableFile.replace("keep the prices", path, encode(history)))
    })
  )
