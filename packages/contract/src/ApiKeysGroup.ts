/**
 * Endpoints that create, list, change, rotate and revoke API keys, and the one that returns the caller's own key.
 */
import { AllowFrom } from "@quarterdeck/keys/AllowFrom"
import { ApiKey, CreatedApiKey, Description, KeyName, Status } from "@quarterdeck/keys/ApiKey"
import { Rule } from "@quarterdeck/keys/Rule"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { documents, RFC3339 } from "./DocumentedText.ts"
import { CallerId, pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

const EXPIRE = `^(?:[1-9][0-9]{0,3}[dy]|${RFC3339})$`

/**
 * The body that creates a key.
 *
 * **Shape** `expire` is `30d`, `1y` or an RFC 3339 instant in the future. Without it the key never expires.
 */
export const CreateApiKey = Schema.Struct({
  name: KeyName,
  description: Schema.optionalKey(Description).annotateKey({ description: "Purpose of the key." }),
  rule: Rule,
  allowFrom: Schema.optionalKey(AllowFrom).annotateKey({
    description:
      "Client addresses that may use the key, as ranges in CIDR notation. They must lie inside the caller's own ranges. Absent: the caller's own ranges."
  }),
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description:
      "Expiry of the key: a duration from now (`30d`, `1y`), or an RFC 3339 instant in the future. Absent: the key never expires."
  })
}).annotate({ identifier: "CreateApiKey" })
export type CreateApiKey = typeof CreateApiKey.Type

/** The body that changes a key. An absent member stays unchanged. The rule and the addresses can only be narrowed. */
export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(KeyName),
  description: Schema.optionalKey(Description).annotateKey({ description: "An empty string removes the description." }),
  rule: Schema.optionalKey(Rule),
  allowFrom: Schema.optionalKey(AllowFrom).annotateKey({
    description: "Must lie inside the key's current ranges and inside the caller's own ranges."
  })
}).annotate({ identifier: "UpdateApiKey" })
export type UpdateApiKey = typeof UpdateApiKey.Type

const GRACE = "^(?:0|[1-9][0-9]{0,3})[hd]$"

/**
 * The body that rotates a key.
 *
 * **Shape** `grace` is `0h` to `30d`, by default `0h`. `expire` is as in {@link CreateApiKey}; by default the new key
 * keeps the expiry of the old key.
 */
export const RotateApiKey = Schema.Struct({
  grace: Schema.optionalKey(Schema.String.check(documents({ pattern: GRACE }))).annotateKey({
    description:
      "How long the old key stays valid: hours (`24h`) or days (`7d`), 30 days at most. Absent: it ends at once."
  }),
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description: "Expiry of the new key, as in the create call. Absent: the expiry of the old key."
  })
}).annotate({ identifier: "RotateApiKey" })
export type RotateApiKey = typeof RotateApiKey.Type

/** A new key. No other reply contains the raw key. */
const Created = CreatedApiKey.annotate({ httpApiStatus: 201 })

export const ApiKeyList = Schema.Struct({
  apiKeys: Schema.Array(ApiKey),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ApiKeyList" })
export type ApiKeyList = typeof ApiKeyList.Type

/** A key with the number of its valid descendants, if the request asks for it. */
export const ApiKeyFamily = Schema.Struct({
  ...ApiKey.fields,
  descendants: Schema.optionalKey(Schema.Natural).annotateKey({
    description:
      "With `children=true`: number of valid keys that descend from the key (keys that it created or was rotated to, and their descendants). In the reply to a revocation: number of keys revoked with it."
  })
}).annotate({ identifier: "ApiKeyFamily" })
export type ApiKeyFamily = typeof ApiKeyFamily.Type

const withChildren = (description: string) => ({
  children: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({ description })
})

const id = {
  id: Schema.NonEmptyString.check(Schema.isMaxLength(128)).annotateKey({ description: "Id of a key." })
}

const forcing = (what: string) => ({
  force: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
    description: `\`true\` ${what} the key even if it is the last valid Admin without a scope.`
  })
})

export class ApiKeysGroup extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.post("create", "/apiKeys", {
      payload: CreateApiKey,
      success: Created,
      error: [...Problem.ofNewKey, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "create" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a key",
          description:
            "The key's rule and addresses must lie inside the caller's own. Only this reply contains the raw key. A caller that has created as many valid keys as `keys.maxPerMaker` allows gets 409 `too_many_keys`."
        })
      ),
    HttpApiEndpoint.get("list", "/apiKeys", {
      query: {
        status: Schema.optionalKey(Status).annotateKey({ description: "Only keys with this status." }),
        createdBy: Schema.optionalKey(CallerId).annotateKey({
          description: "Only keys created by the key or person with this id. That key may be revoked."
        }),
        name: Schema.optionalKey(textUpTo(128)).annotateKey({
          description: "Only keys whose name contains this text."
        }),
        limit: pageParameters.limit,
        cursor: pageParameters.cursor
      },
      success: ApiKeyList
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List keys",
          description: "Lists the keys whose rule lies inside the caller's own."
        })
      ),
    HttpApiEndpoint.get("get", "/apiKeys/:id", {
      params: id,
      query: withChildren(
        "`true` adds `descendants`: the number of keys that a revocation with `children=true` would also revoke."
      ),
      success: ApiKeyFamily,
      error: Problem.ofOneKey
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Get a key",
          description:
            "Returns the caller's own key, or a key whose rule lies inside the caller's. The reply never contains the raw key."
        })
      ),
    HttpApiEndpoint.patch("update", "/apiKeys/:id", {
      params: id,
      query: forcing("narrows"),
      payload: UpdateApiKey,
      success: ApiKey,
      error: [...Problem.ofOneKey, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "operate" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Rename, describe or narrow a key",
          description:
            "The new rule and addresses must lie inside the caller's own and inside the key's current ones: a key never widens. Absent members stay unchanged. Narrowing the last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      ),
    HttpApiEndpoint.post("rotate", "/apiKeys/:id/rotate", {
      params: id,
      payload: RotateApiKey,
      success: Created,
      error: [...Problem.ofOneKey, ...Problem.ofBody]
    })
      // A rotation ends the old key, so it needs the permission to revoke keys. Every caller may revoke its own key.
      .annotate(EndpointPolicy, {
        resource: "ownKey",
        verb: "delete",
        ofOthers: { resource: "apiKeys", verb: "operate" }
      })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Rotate a key",
          description:
            "Creates a new key with the name, description, rule and addresses of this key. This key ends after the grace period. Every caller may rotate its own key. An Admin may rotate keys whose rule lies inside its own. Only this reply contains the raw key."
        })
      ),
    HttpApiEndpoint.delete("revoke", "/apiKeys/:id", {
      params: id,
      query: {
        ...forcing("revokes"),
        ...withChildren("`true` also revokes every valid key that descends from the key: all of them or none.")
      },
      success: ApiKeyFamily,
      error: Problem.ofOneKey
    })
      .annotate(EndpointPolicy, {
        resource: "ownKey",
        verb: "delete",
        ofOthers: { resource: "apiKeys", verb: "delete" }
      })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Revoke a key",
          description:
            "Every caller may revoke its own key. An Admin may revoke keys whose rule lies inside its own, and with `children=true` the keys that descend from them. If a descendant lies outside the caller's rule, the reply is 403 `rule_not_contained` and no key is revoked. Returns the revoked key. Revoking the last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      )
  )
  .annotate(OpenApi.Description, "API keys. A caller manages the keys whose rule lies inside its own.")
  .middleware(Authorization)
  .prefix("/api/v1") {}

/** The caller's own key. */
export class WhoamiGroup extends HttpApiGroup.make("whoami")
  .add(
    HttpApiEndpoint.get("whoami", "/whoami", { success: ApiKey, error: Problem.ofOneKey })
      .annotate(EndpointPolicy, { resource: "ownKey", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({ summary: "Who am I", description: "Returns the caller's key and its rule." })
      )
  )
  .annotate(OpenApi.Description, "The caller's own key.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
