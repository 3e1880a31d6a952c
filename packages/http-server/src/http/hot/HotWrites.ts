/**
 * Batches the socket writes of replies until all requests of the current event loop iteration are read.
 *
 * A socket write costs more than all other work of a cached reply. Consecutive writes are cheaper than interleaved ones,
 * because they wake the receiving process once.
 */
import type { ServerResponse } from "node:http"

export interface HotWrites {
  /** Ends a response whose head is set, with the next batch. */
  readonly end: (response: ServerResponse, body?: string | Uint8Array, encoding?: BufferEncoding) => void
}

interface Due {
  readonly response: ServerResponse
  readonly body: string | Uint8Array | undefined
  readonly encoding: BufferEncoding
}

export const make = (): HotWrites => {
  let due: Array<Due> = []
  const send = (): void => {
    const ready = due
    due = []
    for (const { body, encoding, response } of ready) {
      if (body === undefined) response.end()
      else response.end(body, encoding)
    }
  }
  return {
    end: (response, body, encoding = "utf8") => {
      if (due.length === 0) setImmediate(send)
      due.push({ response, body, encoding })
    }
  }
}
