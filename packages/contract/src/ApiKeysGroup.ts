/**
 * API keys: made, listed and revoked by those whose own rule contains them.
 */
import { ApiKey, CreatedApiKey, KeyName, Status } from "@quarterdeck/keys/ApiKey"
import { Rule } from "@quarterdeck/keys/Rule"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { documents, RFC3339 } from "./Documents.ts"
import { pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

const EXPIRE = `^(?:[1-9][0-9]{0,3}[dy]|${RFC3339})$`

/** **Shape** `expire` is `30d`, `1y` or an RFC 3339 instant in the future; absent never expires. */
export const CreateApiKey = Schema.Struct({
  name: KeyName,
  rule: Rule,
  expire: Schema.optionalKey(Schema.String.check(documents({ pattern: EXPIRE }))).annotateKey({
    description: "A length of time from now (`30d`, `1y`), or an RFC 3339 instant in the future. Absent: never."
  })
}).annotate({ identifier: "CreateApiKey" })
export type CreateApiKey = typeof CreateApiKey.Type

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
        createdBy: Schema.optionalKey(textUpTo(128)).annotateKey({
          description: "Only keys that the key with this id made; it may be revoked."
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
    HttpApiEndpoint.delete("revoke", "/apiKeys/:id", {
      params: id,
      query: {
        force: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
          description: "`true` revokes the last valid Admin without a scope, too."
        })
      },
      success: ApiKey,
      error: Problem.ofOneKey
    })
      .annotate(EndpointPolicy, { resource: "ownKey", verb: "delete" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Revoke a key",
          description:
            "Every caller may revoke its own; an Admin those whose rule lies inside its own. Replies the key as it is now. The last valid Admin without a scope is 409 `last_admin` unless `force` is true."
        })
      )
  )
  .annotate(OpenApi.Description, "API keys: made, listed and revoked by those whose own rule contains them.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
