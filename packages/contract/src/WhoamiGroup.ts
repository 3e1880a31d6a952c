/**
 * The caller's own key.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

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
