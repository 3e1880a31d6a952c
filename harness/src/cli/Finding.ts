/** What a doctor says of one thing. */

/** A verdict on one thing; `remedy` is one sentence, absent when all is well. */
export interface Finding {
  readonly name: string
  readonly verdict: "ok" | "warn" | "fail"
  readonly detail: string
  readonly remedy?: string
}

export const ok = (name: string, detail: string): Finding => ({ name, verdict: "ok", detail })

/** Something that some tests miss. */
export const warn = (name: string, detail: string, remedy: string): Finding => ({
  name,
  verdict: "warn",
  detail,
  remedy
})

/** Something without which the harness does not work. */
export const fail = (name: string, detail: string, remedy: string): Finding => ({
  name,
  verdict: "fail",
  detail,
  remedy
})
