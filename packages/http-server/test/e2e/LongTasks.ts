/**
 * How long the main thread of a page was busy at a stretch, as the browser's own trace has it.
 */
import { Schema } from "effect"
import type { Page } from "playwright-core"

const Trace = Schema.fromJsonString(
  Schema.Struct({
    traceEvents: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        pid: Schema.Number,
        tid: Schema.Number,
        tdur: Schema.optionalKey(Schema.Number),
        args: Schema.optionalKey(Schema.Struct({ name: Schema.optionalKey(Schema.Unknown) }))
      })
    )
  })
)

const decodeTrace = Schema.decodeUnknownSync(Trace)

const CATEGORIES = ["toplevel", "__metadata", "disabled-by-default-devtools.timeline"]

/** Does something, and gives the processor time of the longest task of the page's thread meanwhile. */
export const longestTaskMs = async <A>(
  page: Page,
  act: () => Promise<A>
): Promise<{ readonly longestMs: number; readonly result: A }> => {
  const browser = page.context().browser()
  if (browser === null) throw new Error("the page is in no browser")
  await browser.startTracing(page, { categories: CATEGORIES })
  const result = await act()
  const { traceEvents } = decodeTrace((await browser.stopTracing()).toString("utf8"))
  const threads = new Set(
    traceEvents
      .filter(({ args, name }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`)
  )
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => /(?:^|::)RunTask$/.test(name) && threads.has(`${pid}/${tid}`)
  )
  if (tasks.length === 0) throw new Error("the trace has no task of the page")
  // In millionths of a second.
  return { result, longestMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000 }
}
