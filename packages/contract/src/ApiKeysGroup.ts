/**
 * API keys: made, listed, changed and revoked by those whose own rule contains them.
 */
import { ApiKey, CreatedApiKey, KeyName, Status } from "@quarterdeck/keys/ApiKey"
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
 * The name, rule and expiry of a new key.
 *
 * **Shape** `expire` is `30d`, `1y` or an RFC 3339 instant in the future; absent never expires.
 */
export const CreateApiKey = Schema.Struct({
  name: KeyName,
  rule: Rule,
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description: "A length of time from now (`30d`, `1y`), or an RFC 3339 instant in the future. Absent: never."
  })
}).annotate({ identifier: "CreateApiKey" })
export type CreateApiKey = typeof CreateApiKey.Type

/** The changes to a key; an absent member stays as it is, and the rule can only be narrowed. */
export const UpdateApiKey = Schema.Struct({
  name: Schema.optionalKey(KeyName),
  rule: Schema.optionalKey(Rule)
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
      error: Problem.ofBody
    })
      .annotate(EndpointPolicy, { resource: "apiKeys", verb: "create" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create a key",
          description: "Its rule must lie inside the caller's own. The raw key is in this reply alone."
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
    HttpApiEndpoint.get("get", "/apiKeys/:id", { params: id, success: ApiKey, error: Problem.ofOneKey })
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
          summary: "Rename or narrow a key",
          description:
            "The new rule must lie inside the caller's own and inside the key's present one: a key never widens. What is left out stays. Narrowing the last valid Admin without a scope is 409 `last_admin` unless `force` is true."
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
            "Makes a new key with the name and rule of this one, which ends after the grace. Every caller may rotate its own; an Admin those whose rule lies inside its own. The raw key is in this reply alone."
        })
      ),
    HttpApiEndpoint.delete("revoke", "/apiKeys/:id", {
      params: id,
      query: forcing("revokes"),
      success: ApiKey,
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
            "Every caller may revoke its own; an Admin those whose rule lies inside its own. Replies the key as it is now. The last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      )
  )
  .annotate(OpenApi.Description, "API keys: made, listed, changed and revoked by those whose own rule contains them.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
