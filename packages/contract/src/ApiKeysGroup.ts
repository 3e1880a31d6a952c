/**
 * API keys: made, listed, changed and revoked by those whose own rule contains them.
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
 * What a new key is, may do and may be used from.
 *
 * **Shape** `expire` is `30d`, `1y` or an RFC 3339 instant in the future; absent never expires.
 */
export const CreateApiKey = Schema.Struct({
  name: KeyName,
  description: Schema.optionalKey(Description).annotateKey({ description: "What the key is for." }),
  rule: Rule,
  allowFrom: Schema.optionalKey(AllowFrom).annotateKey({
    description:
      "Client addresses that the key may be used from, as ranges in CIDR notation. Must lie inside the caller's own. Absent: the caller's own."
  }),
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description: "A length of time from now (`30d`, `1y`), or an RFC 3339 instant in the future. Absent: never."
  })
}).annotate({ identifier: "CreateApiKey" })
export type CreateApiKey = typeof CreateApiKey.Type

/** The changes to a key. An absent member stays as it is; the rule and the addresses can only be narrowed. */
export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(KeyName),
  description: Schema.optionalKey(Description).annotateKey({ description: "An empty text removes the description." }),
  rule: Schema.optionalKey(Rule),
  allowFrom: Schema.optionalKey(AllowFrom).annotateKey({
    description: "Must lie inside the key's present addresses and inside the caller's own."
  })
}).annotate({ identifier: "UpdateApiKey" })
export type UpdateApiKey = typeof UpdateApiKey.Type

const GRACE = "^(?:0|[1-9][0-9]{0,3})[hd]$"

/**
 * When the old key of a rotation ends, and when the new one does.
 *
 * **Shape** `grace` is `0h` to `30d`, absent `0h`; `expire` as in the create call, absent keeps the end of the old key.
 */
export const RotateApiKey = Schema.Struct({
  grace: Schema.optionalKey(Schema.String.check(documents({ pattern: GRACE }))).annotateKey({
    description:
      "How long the old key lives on: hours (`24h`) or days (`7d`), 30 days at most. Absent: it ends at once."
  }),
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description: "When the new key ends, as in the create call. Absent: when the old one would have."
  })
}).annotate({ identifier: "RotateApiKey" })
export type RotateApiKey = typeof RotateApiKey.Type

/** The raw key stands here and nowhere else, ever again. */
const Created = CreatedApiKey.annotate({ httpApiStatus: 201 })

export const ApiKeyList = Schema.Struct({
  apiKeys: Schema.Array(ApiKey),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ApiKeyList" })
export type ApiKeyList = typeof ApiKeyList.Type

/** A key, and how many valid keys descend from it where that is asked for. */
export const ApiKeyFamily = Schema.Struct({
  ...ApiKey.fields,
  descendants: Schema.optionalKey(Schema.Natural).annotateKey({
    description:
      "With `children=true`: valid keys that descend from the key (those that it made or was rotated to, and so on). In the reply to a revocation: those that were revoked with it."
  })
}).annotate({ identifier: "ApiKeyFamily" })
export type ApiKeyFamily = typeof ApiKeyFamily.Type

const withChildren = (description: string) => ({
  children: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({ description })
})

const id = {
  id: Schema.NonEmptyString.check(Schema.isMaxLength(128)).annotateKey({ description: "The id of a key." })
}

const forcing = (what: string) => ({
  force: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
    description: `\`true\` ${what} the last valid Admin without a scope, too.`
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
            "Its rule and its addresses must lie inside the caller's own. The raw key is in this reply alone. A maker with as many valid keys as `keys.maxPerMaker` allows gets 409 `too_many_keys`."
        })
      ),
    HttpApiEndpoint.get("list", "/apiKeys", {
      query: {
        status: Schema.optionalKey(Status).annotateKey({ description: "Only keys of this status." }),
        createdBy: Schema.optionalKey(CallerId).annotateKey({
          description: "Only keys that the key or person with this id made; the key may be revoked."
        }),
        name: Schema.optionalKey(textUpTo(128)).annotateKey({ description: "Only keys whose name holds this text." }),
        limit: pageParameters.limit,
        cursor: pageParameters.cursor
      },
      success: ApiKeyList
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List keys",
          description: "Those whose rule lies inside the caller's own."
        })
      ),
    HttpApiEndpoint.get("get", "/apiKeys/:id", {
      params: id,
      query: withChildren(
        "`true` adds `descendants`, the number of keys that a revocation with `children=true` would revoke too."
      ),
      success: ApiKeyFamily,
      error: Problem.ofOneKey
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Get a key",
          description: "The caller's own, or one whose rule lies inside the caller's. Its secret is never told again."
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
            "The new rule and the new addresses must lie inside the caller's own and inside the key's present ones: a key never widens. What is left out stays. Narrowing the last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      ),
    HttpApiEndpoint.post("rotate", "/apiKeys/:id/rotate", {
      params: id,
      payload: RotateApiKey,
      success: Created,
      error: [...Problem.ofOneKey, ...Problem.ofBody]
    })
      // It ends a key, as every caller may do to its own.
      .annotate(EndpointPolicy, {
        resource: "ownKey",
        verb: "delete",
        ofOthers: { resource: "apiKeys", verb: "operate" }
      })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Rotate a key",
          description:
            "Makes a new key with the name, description, rule and addresses of this one, which ends after the grace. Every caller may rotate its own; an Admin those whose rule lies inside its own. The raw key is in this reply alone."
        })
      ),
    HttpApiEndpoint.delete("revoke", "/apiKeys/:id", {
      params: id,
      query: {
        ...forcing("revokes"),
        ...withChildren("`true` revokes every valid key that descends from the key too, all or none.")
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
            "Every caller may revoke its own; an Admin those whose rule lies inside its own, and with `children=true` the keys that descend from it. A descendant outside the caller's rule is 403 `rule_not_contained`, and no key is revoked. Replies the key as it is now. The last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      )
  )
  .annotate(OpenApi.Description, "API keys: made, listed, changed and revoked by those whose own rule contains them.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
