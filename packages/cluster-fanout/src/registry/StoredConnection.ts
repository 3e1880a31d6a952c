/**
 * Writes the connection of a registered cluster as text, with its secrets, for a store that seals it, and reads it back.
 */
import { Option, Schema } from "effect"
import type { AddressRule } from "./AddressRule.ts"
import type { Connection } from "./Cluster.ts"

const Secret = Schema.RedactedFromValue(Schema.String)
const Pem = Schema.Struct({ _tag: Schema.Literal("Data"), pem: Secret })

const ClientCertificate = Schema.Struct({ certificate: Pem, key: Pem })
const beside = { clientCertificate: Schema.optionalKey(ClientCertificate) }

const Stored = Schema.fromJsonString(
  Schema.Struct({
    labels: Schema.Record(Schema.String, Schema.String),
    connection: Schema.Struct({
      server: Schema.String,
      certificateAuthority: Schema.optionalKey(Pem),
      tlsServerName: Schema.optionalKey(Schema.String),
      insecureSkipTlsVerify: Schema.Literal(false),
      proxyUrl: Schema.optionalKey(Schema.String),
      credential: Schema.Union([
        Schema.Struct({ _tag: Schema.Literal("None") }),
        Schema.Struct({ _tag: Schema.Literal("Token"), token: Secret, ...beside }),
        Schema.Struct({ _tag: Schema.Literal("Basic"), username: Schema.String, password: Secret, ...beside }),
        Schema.Struct({ _tag: Schema.Literal("ClientCertificate"), ...ClientCertificate.fields })
      ]),
      impersonation: Schema.optionalKey(
        Schema.Struct({
          user: Schema.String,
          uid: Schema.optionalKey(Schema.String),
          groups: Schema.Array(Schema.String),
          extra: Schema.Record(Schema.String, Schema.Array(Schema.String))
        })
      )
    })
  })
)

/** What is kept of a cluster beside its name. */
export interface StoredCluster {
  readonly labels: Readonly<Record<string, string>>
  readonly connection: Connection
}

const encode = Schema.encodeUnknownOption(Stored)
const decode = Schema.decodeUnknownOption(Stored, { onExcessProperty: "error" })

/**
 * Prints a cluster with its secrets.
 *
 * **Shape** `none` for a connection that names files, runs programs or checks no certificate: none of these is ever kept. The rule for
 * addresses is not kept either: that of the time counts at which it is read.
 */
export const print = ({ connection, labels }: StoredCluster): Option.Option<string> => {
  const { addressRule: _rule, ...kept } = connection
  return encode({ labels, connection: kept })
}

/** Reads what {@link print} wrote; `none` for anything else. */
export const read = (text: string, addressRule: AddressRule): Option.Option<StoredCluster> =>
  Option.map(decode(text), ({ connection, labels }) => ({ labels, connection: { ...connection, addressRule } }))
