/**
 * Serialises the connection of a registered cluster, including its secrets, for a store that encrypts it.
 */
import { Option, Schema } from "effect"
import type { AddressRule } from "./AddressRule.ts"
import type { Connection } from "./Cluster.ts"

const Secret = Schema.RedactedFromValue(Schema.String)
const Pem = Schema.Struct({ _tag: Schema.Literal("Data"), pem: Secret })

const ClientCertificate = Schema.Struct({ certificate: Pem, key: Pem })
const certificateField = { clientCertificate: Schema.optionalKey(ClientCertificate) }

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
        Schema.Struct({ _tag: Schema.Literal("Token"), token: Secret, ...certificateField }),
        Schema.Struct({
          _tag: Schema.Literal("Basic"),
          username: Schema.String,
          password: Secret,
          ...certificateField
        }),
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

/** The stored part of a cluster, apart from its name. */
export interface StoredCluster {
  readonly labels: Readonly<Record<string, string>>
  readonly connection: Connection
}

const encode = Schema.encodeUnknownOption(Stored)
const decode = Schema.decodeUnknownOption(Stored, { onExcessProperty: "error" })

/**
 * Prints a cluster with its secrets.
 *
 * **Shape** `None` for a connection that uses files, runs programs or skips certificate checks: such connections are
 * never stored. The address rule is not stored either. On reading, the current rule applies.
 */
export const print = ({ connection, labels }: StoredCluster): Option.Option<string> => {
  const { addressRule: _rule, ...stored } = connection
  return encode({ labels, connection: stored })
}

/** Reads the output of {@link print}; `None` for anything else. */
export const read = (text: string, addressRule: AddressRule): Option.Option<StoredCluster> =>
  Option.map(decode(text), ({ connection, labels }) => ({ labels, connection: { ...connection, addressRule } }))
