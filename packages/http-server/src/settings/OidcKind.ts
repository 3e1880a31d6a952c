/**
 * The value types of the OpenID Connect settings.
 */
import * as Person from "@quarterdeck/keys/Person"
import { Effect, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { isLoopback } from "../limits/Loopback.ts"
import { joined, type Kind } from "./Kind.ts"

const Issuer = Schema.String.check(
  Schema.makeFilter((text) => {
    const url = URL.parse(text)
    return (
      url !== null
      && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)))
      && url.username === ""
      && url.password === ""
      && !/[\s?#]/.test(text)
    )
  })
)

/**
 * Decodes the address of a provider: HTTPS, or for local tests HTTP on loopback.
 *
 * **Source** OpenID Connect Discovery 1.0 §3.
 */
export const issuer: Kind<string> = {
  word: "URL",
  allowed: "an https:// address without user, password, query or fragment (http:// only on loopback)",
  fromText: Issuer,
  fromYaml: Issuer
}

const Text = Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,512}$/u))

export const text: Kind<string> = {
  word: "TEXT",
  allowed: "1 to 512 characters, without control characters",
  fromText: Text,
  fromYaml: Text
}

/** An OAuth scope. **Source** RFC 6749 §3.3. */
const Scope = Schema.String.check(Schema.isPattern(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/))
const Scopes = Schema.Array(Scope).check(Schema.makeFilter((scopes) => scopes.includes("openid")))

/** Decodes a list of scopes: separated by spaces in text, a list in YAML. */
export const scopes: Kind<ReadonlyArray<string>> = {
  word: "openid SCOPE...",
  allowed: "a list of scopes that includes openid; as a flag or variable, separated by spaces",
  fromText: joined(" ", Scopes),
  fromYaml: Scopes
}

/** Rejects unknown fields in rules. A misspelt scope field would otherwise grant access to everything. */
const Rules = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.toType(Schema.Array(Person.GroupRule)),
    SchemaTransformation.transformEffect({
      decode: (input: unknown) =>
        Effect.fromResult(Person.decodeRules(input)).pipe(Effect.mapError(() => new SchemaIssue.InvalidValue())),
      encode: (rules) => Effect.succeed<unknown>(rules)
    })
  )
)

const RulesText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Unknown,
    SchemaTransformation.transformEffect({
      decode: (text: string) =>
        Effect.fromResult(Result.try((): unknown => JSON.parse(text))).pipe(
          Effect.mapError(() => new SchemaIssue.InvalidValue())
        ),
      encode: (rules) => Effect.succeed(JSON.stringify(rules))
    })
  ),
  Schema.decodeTo(Rules)
)

/** Decodes group rules: JSON in text, a list in YAML. */
export const rules: Kind<ReadonlyArray<Person.GroupRule>> = {
  word: "JSON",
  allowed:
    "a list of { group, rule } with each group once; a rule has the fields role, targetClusters and targetNamespaces, as in the keys file; as a flag or variable, JSON",
  fromText: RulesText,
  fromYaml: Rules,
  faultIn: (value) => {
    if (!Array.isArray(value)) return undefined
    const read = Person.decodeRules(value)
    return Result.isFailure(read) ? `${read.failure.field}: ${read.failure.problem}` : undefined
  }
}
