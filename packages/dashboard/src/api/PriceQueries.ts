/**
 * The price book, read and written.
 */
import { queryOptions } from "@tanstack/react-query"
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
