/**
 * Answers recorded from the service, for a peer that writes the same bytes.
 */
import { Schema } from "effect"
import type { Question } from "./Plan.ts"

const Answers = Schema.Array(
  Schema.Struct({ status: Schema.Int, headers: Schema.Record(Schema.String, Schema.String), body: Schema.String })
)
export type Answer = (typeof Answers.Type)[number]

export const decodeAnswers = Schema.decodeUnknownSync(Schema.fromJsonString(Answers))

/** Headers that Node writes by itself. */
const OWN = new Set(["date", "connection", "keep-alive"])

/** Sends a request and returns the answer with its headers. **Errors** any status other than the expected one. */
export const record = async (port: number, { key, path }: Question, status: number): Promise<Answer> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}`, "x-service-cluster": "*", "accept-encoding": "identity" }
  })
  const body = await answer.text()
  if (answer.status !== status) throw new Error(`${answer.status} for ${path}: ${body.slice(0, 300)}`)
  return { status, body, headers: Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name))) }
}
