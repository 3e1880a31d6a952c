/**
 * Sessions: a browser signs in with a key and gets a cookie that scripts cannot read.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { SameOrigin } from "./Authorization.ts"

/** A raw key. Keys from the configuration may have any form. */
const KeyText = Schema.String.check(
  Schema.isMinLength(1, { expected: "1 to 4096 characters" }),
  Schema.isMaxLength(4_096, { expected: "1 to 4096 characters" })
)

export const SignIn = Schema.Struct({ key: Schema.RedactedFromValue(KeyText) }).annotate({ identifier: "SignIn" })
export type SignIn = typeof SignIn.Type

/** The key of the new session. */
export const SignedIn = ApiKey.annotate({ identifier: "SignedIn", httpApiStatus: 201 })

export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("create", "/session", {
      payload: SignIn,
      success: SignedIn,
      error: [...Problem.ofOneKey, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Sign in",
          description:
            "Sets a session cookie that scripts cannot read. Only for the server's own pages: the request needs their `Origin`. Programs send the key with each request instead."
        })
      ),
    HttpApiEndpoint.get("get", "/session", { success: ApiKey, error: Problem.ofOneKey })
      .annotate(EndpointPolicy, "session")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Who is signed in",
          description: "Returns the key of the browser's session. A request with an Authorization header is refused."
        })
      ),
    HttpApiEndpoint.delete("end", "/session", {
      query: {
        all: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true` ends every session of the same key."
          })
        )
      },
      success: HttpApiSchema.NoContent
    })
      .annotate(EndpointPolicy, "session")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Sign out",
          description: "Ends the browser's session. With `all=true` every session of the same key ends."
        })
      )
  )
  .annotate(OpenApi.Description, "Sessions of browsers, for the server's own pages.")
  .middleware(SameOrigin)
  .prefix("/api/v1") {}
