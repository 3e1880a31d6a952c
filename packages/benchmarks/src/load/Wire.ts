/**
 * HTTP/1.1 written and parsed by hand, because Node's client would be slower than the server.
 */
import { connect, type Socket } from "node:net"
import { percentile } from "../claim/Measure.ts"
import type { Plan, Question, Result } from "./Plan.ts"

const HEAD_END = "\r\n\r\n"
const LENGTH = /\r\ncontent-length: *(\d+)/i
const CURSOR = /"nextCursor":"([^"]+)"/
/** Number of bytes at the end of an answer in which the cursor is searched. */
const CURSOR_WITHIN = 2_048
const MS_PER_SECOND = 1_000

/** Returns the bytes of a request to all clusters. */
const written = ({ key, path }: Question): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\nx-service-cluster: *\r\n\r\n`

const NANOS_PER_MS = 1_000_000

const nowMs = (): number => Number(process.hrtime.bigint()) / NANOS_PER_MS

/** A complete answer. */
interface Answer {
  readonly status: number
  readonly tail: string
}

/** Splits the bytes of a connection into answers. Each answer must have a Content-Length. */
class Answers {
  #held: Buffer = Buffer.alloc(0)
  #pieces: Array<Buffer> = []
  #missing = 0
  #status = 0

  /** Returns the answer that these bytes complete, if any. Only one answer may be outstanding. */
  take(bytes: Buffer): Answer | undefined {
    if (this.#missing > 0) return this.#body(bytes)
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const end = all.indexOf(HEAD_END)
    if (end < 0) {
      this.#held = all
      return undefined
    }
    const head = all.toString("latin1", 0, end)
    const length = LENGTH.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer without its length: ${head}`)
    this.#held = Buffer.alloc(0)
    this.#status = Number(head.slice(9, 12))
    this.#missing = Number(length)
    return this.#body(all.subarray(end + HEAD_END.length))
  }

  #body(bytes: Buffer): Answer | undefined {
    this.#missing -= bytes.length
    this.#pieces.push(bytes)
    if (this.#missing > 0) return undefined
    const last = this.#pieces.at(-1) ?? bytes
    const tail = last.toString("latin1", Math.max(0, last.length - CURSOR_WITHIN))
    this.#pieces = []
    return { status: this.#status, tail }
  }
}

/** Runs a load until its time is over. **Errors** broken connections, and answers without a Content-Length. */
export const run = async (plan: Plan): Promise<Result> => {
  const { connections, pages, questions, seconds, status: expected = 200 } = plan
  const tookMs: Array<number> = []
  const endAt = nowMs() + seconds * MS_PER_SECOND
  let asked = 0
  let refused = 0
  const begin = nowMs()

  const next = (): Question => {
    const question = questions[asked % questions.length]
    if (question === undefined) throw new Error("a load without questions")
    asked++
    return question
  }

  const askOn = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const answers = new Answers()
      let sentAt = 0
      let question = next()
      let isFollowing = false
      const send = () => {
        sentAt = nowMs()
        socket.write(written(question))
      }
      const take = ({ status, tail }: Answer) => {
        const now = nowMs()
        tookMs.push(now - sentAt)
        if (status !== expected) refused++
        if (now >= endAt) {
          socket.end()
          return resolve()
        }
        const cursor = pages && !isFollowing ? CURSOR.exec(tail)?.[1] : undefined
        isFollowing = cursor !== undefined
        question =
          cursor === undefined ? next() : { ...question, path: `${question.path}&cursor=${encodeURIComponent(cursor)}` }
        send()
      }
      socket.on("data", (bytes: Buffer) => {
        try {
          const answer = answers.take(bytes)
          if (answer !== undefined) take(answer)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
      socket.on("error", reject)
      socket.on("close", () => reject(new Error("the server closed a connection")))
      socket.on("connect", send)
    })

  const sockets = Array.from({ length: connections }, () =>
    connect({ port: plan.port, host: "127.0.0.1", noDelay: true })
  )
  await Promise.all(sockets.map(askOn))
  const tookSeconds = (nowMs() - begin) / MS_PER_SECOND
  return {
    answered: tookMs.length,
    asked,
    refused,
    perSecond: tookMs.length / tookSeconds,
    p50: percentile(tookMs, 0.5),
    p99: percentile(tookMs, 0.99)
  }
}
