/**
 * The kinds of value that the settings of an identity provider have.
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
 * Reads the address of a provider: HTTPS, or HTTP on this machine, for trying it out.
 *
 * **Source** OpenID Connect Discovery 1.0 §3.
 */
export const issuer: Kind<string> = {
  word: "URL",
  allowed: "an https:// address without user, password, query or fragment (http:// on loopback alone)",
  fromText: Issuer,
  fromYaml: Issuer
}

const Text = Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,512}$/u))

export const text: Kind<string> = {
  word: "TEXT",
  allowed: "1 to 512 characters, none of them a control character",
  fromText: Text,
  fromYaml: Text
}

/** An OAuth scope. **Source** RFC 6749 §3.3. */
const Scope = Schema.String.check(Schema.isPattern(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/))
const Scopes = Schema.Array(Scope).check(Schema.makeFilter((scopes) => scopes.includes("openid")))

/** Reads a list of scopes: in text joined by a space, in YAML a list. */
export const scopes: Kind<ReadonlyArray<string>> = {
  word: "openid SCOPE...",
  allowed: "a list of scopes with openid among them, in text joined by a space",
  fromText: joined(" ", Scopes),
  fromYaml: Scopes
}

/** A misspelt field of a rule must not mean "all", so that the rules are read more strictly than other settings. */
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

/** Reads group rules: in text as JSON. */
export const rules: Kind<ReadonlyArray<Person.GroupRule>> = {
  word: "JSON",
  allowed:
    "a list of { group, rule }, each group once and the rule as an entry of the keys file has it (role, targetClusters, targetNamespaces and nothing else), in text as JSON",
  fromText: RulesText,
  fromYaml: Rules,
  faultIn: (value) => {
    if (!Array.isArray(value)) return undefined
    const read = Person.decodeRules(value)
    return Result.isFailure(read) ? `${read.failure.field}: ${read.failure.problem}` : undefined
  }
}
