/**
 * The price book, read and written.
 */
import { PriceEffect } from "@quarterdeck/contract/PricesGroup"
import { queryOptions } from "@tanstack/react-query"
import { Schema } from "effect"
import { call } from "./Client.ts"
import { send } from "./File.ts"

/** Somebody else may change it. */
const REREAD_MS = 15_000

const read = (signal: AbortSignal) => call((api) => api.prices.get(), signal)

export type Prices = Awaited<ReturnType<typeof read>>

export const pricesQuery = queryOptions({
  queryKey: ["prices"],
  queryFn: ({ signal }) => read(signal),
  refetchInterval: REREAD_MS
})

/** Replaces the book. **Errors** rejects with `ApiFailure`: the server judges every field, and the version. */
export const putPrices = async (book: object): Promise<void> => {
  await send("/api/v1/prices", { method: "PUT", headers: {}, body: book })
}

const decodeEffect = Schema.decodeUnknownPromise(Schema.fromJsonString(PriceEffect))

/**
 * What the last seven days cost by the present book and by another, which is not put in force.
 *
 * **Errors** rejects with `ApiFailure`, as putting the book would.
 */
export const priceEffectQuery = (book: object | undefined) =>
  queryOptions({
    queryKey: ["priceEffect", book],
    queryFn: async () => {
      const reply = await send("/api/v1/prices?dryRun=true", { method: "PUT", headers: {}, body: book ?? {} })
      return decodeEffect(await reply.text())
    },
    enabled: book !== undefined,
    staleTime: REREAD_MS
  })
