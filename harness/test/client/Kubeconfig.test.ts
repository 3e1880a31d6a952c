import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { parse } from "yaml"
import * as Kubeconfig from "../../src/client/Kubeconfig.ts"

const Context = Schema.Struct({
  name: Schema.NonEmptyString,
  server: Schema.String,
  caPem: Schema.String,
  user: Schema.NonEmptyString,
  token: Schema.String
})
const Parsed = Schema.Struct({
  "current-context": Schema.optionalKey(Schema.String),
  clusters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      cluster: Schema.Struct({ server: Schema.String, "certificate-authority-data": Schema.String })
    })
  ),
  users: Schema.Array(Schema.Struct({ name: Schema.String, user: Schema.Struct({ token: Schema.String }) })),
  contexts: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      context: Schema.Struct({ cluster: Schema.String, user: Schema.String })
    })
  )
})
const decode = Schema.decodeUnknownSync(Parsed)

describe("Kubeconfig", () => {
  it.prop(
    "every context leads to its own cluster with its own token, whatever the names",
    [Schema.Array(Context).check(Schema.isMaxLength(4))],
    ([contexts]) => {
      const text = Kubeconfig.print(contexts.map((context) => ({ ...context, token: Redacted.make(context.token) })))
      const parsed = decode(parse(text))
      assert.strictEqual(parsed["current-context"], contexts[0]?.name)
      assert.deepStrictEqual(
        parsed.contexts.map(({ name, context }, at) => ({
          name,
          user: context.user,
          server: parsed.clusters[at]?.cluster.server,
          caPem: Buffer.from(parsed.clusters[at]?.cluster["certificate-authority-data"] ?? "", "base64").toString(),
          token: parsed.users[at]?.user.token
        })),
        contexts.map(({ name, user, server, caPem, token }) => ({
          name,
          user: `${user}@${name}`,
          server,
          caPem: Buffer.from(caPem).toString(),
          token
        }))
      )
    }
  )
})
