/**
 * A peer for HTTP reads: Node's own server, which replies to any request with recorded answers in turn.
 *
 * Arguments: a file of answers, and the file to write its port into.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { decodeAnswers } from "./load/Recorded.ts"
import { listen, orSay } from "./load/Ready.ts"

const [file = "", ready = ""] = process.argv.slice(2)
const answers = decodeAnswers(readFileSync(file, "utf8")).map(({ body, headers, status }) => ({
  status,
  headers: { ...headers },
  body: Buffer.from(body, "utf8")
}))
let calls = 0
const server = createServer((_, response) => {
  const answer = answers[calls++ % answers.length]
  response.writeHead(answer?.status ?? 200, answer?.headers)
  response.end(answer?.body)
})
await orSay(ready, () => listen(server, ready))
