/** The result of one check. `remedy` is one sentence, absent if the verdict is `ok`. */
export interface Finding {
  readonly name: string
  readonly verdict: "ok" | "warn" | "fail"
  readonly detail: string
  readonly remedy?: string
}

export const ok = (name: string, detail: string): Finding => ({ name, verdict: "ok", detail })

/** Reports a problem that affects some drivers only. */
export const warn = (name: string, detail: string, remedy: string): Finding => ({
  name,
  verdict: "warn",
  detail,
  remedy
})

/** Reports a problem that prevents any use of the harness. */
export const fail = (name: string, detail: string, remedy: string): Finding => ({
  name,
  verdict: "fail",
  detail,
  remedy
})
