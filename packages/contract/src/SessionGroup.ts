/**
 * Sessions: a browser signs in with a key once, and keeps a cookie that its pages cannot read.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { SameOrigin } from "./SameOrigin.ts"

/** A key may have any form; one of the configuration need not look like those that the service makes. */
const KeyText = Schema.String.check(
  Schema.isMinLength(1, { expected: "1 to 4096 characters" }),
  Schema.isMaxLength(4_096, { expected: "1 to 4096 characters" })
)

export const SignIn = Schema.Struct({ key: Schema.RedactedFromValue(KeyText) }).annotate({ identifier: "SignIn" })
export type SignIn = typeof SignIn.Type

/** The key that a browser is signed in with now. */
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
            "Sets a cookie that pages cannot read. For the server's own pages: the request needs their Origin. Programs send the key with each request instead."
        })
      ),
    HttpApiEndpoint.get("get", "/session", { success: ApiKey, error: Problem.ofOneKey })
      .annotate(EndpointPolicy, "session")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Who is signed in",
          description: "The key that the browser signed in with. Refused beside an Authorization header."
        })
      ),
    HttpApiEndpoint.delete("end", "/session", {
      query: {
        all: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "Whether every browser that signed in with the same key is signed out."
          })
        )
      },
      success: HttpApiSchema.NoContent
    })
      .annotate(EndpointPolicy, "session")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Sign out",
          description: "With all=true every browser that signed in with the same key."
        })
      )
  )
  .annotate(OpenApi.Description, "Signing browsers in and out, for the server's own pages.")
  .middleware(SameOrigin)
  .prefix("/api/v1") {}
