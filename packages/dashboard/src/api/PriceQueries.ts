/**
 * Reads and replaces the price book.
 */
import { PriceEffect } from "@quarterdeck/contract/PricesGroup"
import { queryOptions } from "@tanstack/react-query"
import { Schema } from "effect"
import { call } from "./Client.ts"
import { send } from "./File.ts"

/** Another user may change the book. */
const REREAD_MS = 15_000

const read = (signal: AbortSignal) => call((api) => api.prices.get(), signal)

export type Prices = Awaited<ReturnType<typeof read>>

export const pricesQuery = queryOptions({
  queryKey: ["prices"],
  queryFn: ({ signal }) => read(signal),
  refetchInterval: REREAD_MS
})

/** Replaces the book. **Errors** rejects with `ApiFailure`: the server validates every field and the version. */
export const putPrices = async (book: object): Promise<void> => {
  await send("/api/v1/prices", { method: "PUT", headers: {}, body: book })
}

const decodeEffect = Schema.decodeUnknownPromise(Schema.fromJsonString(PriceEffect))

/**
 * Costs of the last seven days by the current book and by a draft, which is not saved.
 *
 * **Errors** rejects with `ApiFailure` like {@link putPrices}.
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
