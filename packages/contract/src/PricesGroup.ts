/**
 * The price book that costs are computed by.
 */
import { PriceEffect } from "@quarterdeck/cost/CostRow"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

export { PriceEffect }

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
      query: {
        dryRun: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
          description:
            "Whether nothing is changed. The book is judged as ever, and the reply tells what the last seven days cost by the present book and by this one.",
          default: "false"
        })
      },
      payload: PriceBook,
      success: [PriceBook, PriceEffect],
      error: [...Problem.ofBook, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, { resource: "prices", verb: "operate", canDryRun: "query" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Replace the price book",
          description:
            "Give the version that was read; the reply has the next. Closed hours keep their price, but for new overrides with an earlier validFrom. With dryRun=true nothing is changed, and the reply is what would change."
        })
      )
  )
  .annotate(OpenApi.Description, "The price book that costs are computed by.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
