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
          description: "A key with a cluster scope sees only the overrides of its clusters."
        })
      ),
    HttpApiEndpoint.put("replace", "/prices", {
      query: {
        dryRun: Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
          description:
            "`true` validates the book without saving it. The reply has the costs of the last seven days by the current book and by this one.",
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
            "Send the version that you read; the reply has the next version. Hours that are already closed keep their prices, except where a new override has an earlier `validFrom`. With `dryRun=true` nothing is saved, and the reply shows the effect on costs."
        })
      )
  )
  .annotate(OpenApi.Description, "The price book that costs are computed by.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
