/**
 * Posts signed messages to webhooks.
 */
import { AddressRule, GuardedConnect } from "@quarterdeck/cluster-fanout"
import { Clock, Effect, Schema } from "effect"
import { createHmac } from "node:crypto"
import { request } from "node:https"

const TIMEOUT_MS = 30_000
const OK = 200
const REDIRECT = 300

/** The delivery to a webhook failed. */
export class WebhookFailed extends Schema.TaggedError<WebhookFailed>()("WebhookFailed", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

export interface WebhookMessage {
  readonly url: string
  /** The key that signs the message. */
  readonly secret: string
  /** The same in every retry of a message. */
  readonly deliveryId: string
  readonly mediaType: string
  readonly body: string
  /** PEM certificates of the authorities to trust. If absent, those that Node.js trusts. */
  readonly ca?: string
}

/** Returns the header of a signature. **Example** `t=1767225600,v1=5257a8…` */
const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`

/**
 * Posts one message, without retries.
 *
 * **Shape** checks each address that the host resolves to when it connects. A redirect is a failure and is not followed.
 *
 * **Errors** `WebhookFailed` unless the reply has a status of 200 to 299. **Limits** 30 s; reads no body.
 */
export const post = Effect.fn("Webhook.post")(function* (rule: AddressRule.AddressRule, message: WebhookMessage) {
  const lookup = GuardedConnect.guarded(rule, yield* GuardedConnect.HostLookup)
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const fault = AddressRule.faultOfHost(AddressRule.hostOf(message.url), rule)
  if (fault !== undefined) return yield* new WebhookFailed({ problem: `the address is ${fault}, which is refused` })
  const { body, ca, deliveryId, mediaType, secret, url } = message
  const options = {
    method: "POST",
    agent: false,
    lookup,
    timeout: TIMEOUT_MS,
    ...(ca === undefined ? {} : { ca }),
    headers: {
      "content-type": mediaType,
      "content-length": Buffer.byteLength(body),
      "quarterdeck-signature": signatureOf(secret, seconds, body),
      "quarterdeck-delivery": deliveryId
    }
  } as const
  yield* Effect.callback<void, WebhookFailed>((resume) => {
    const fail = (problem: string) => resume(Effect.fail(new WebhookFailed({ problem })))
    const outgoing = request(url, options, ({ statusCode = 0 }) => {
      outgoing.destroy()
      if (statusCode >= OK && statusCode < REDIRECT) resume(Effect.void)
      else fail(`the reply has status ${statusCode}`)
    })
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no reply within ${TIMEOUT_MS / 1_000} s`)))
    outgoing.on("error", ({ message: problem }) => fail(problem))
    outgoing.end(body)
    return Effect.sync(() => outgoing.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIMEOUT_MS,
      orElse: () => Effect.fail(new WebhookFailed({ problem: `no reply within ${TIMEOUT_MS / 1_000} s` }))
    })
  )
})
