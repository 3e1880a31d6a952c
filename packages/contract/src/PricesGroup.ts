/**
 * The price book that costs are computed by.
 */
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

export class PricesGroup extends HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("get", "/prices", { success: PriceBook })
      .annotate(EndpointPolicy, { resource: "prices", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Get the price book",
          description: "A key that reaches some clusters only is not shown the overrides of others."
        })
      ),
    HttpApiEndpoint.put("replace", "/prices", {
      payload: PriceBook,
      success: PriceBook,
      error: [...Problem.ofBook, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, { resource: "prices", verb: "operate" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Replace the price book",
          description:
            "Give the version that was read; the reply has the next. Closed hours keep their price, but for new overrides with an earlier validFrom."
        })
      )
  )
  .annotate(OpenApi.Description, "The price book that costs are computed by.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
