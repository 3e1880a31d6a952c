/**
 * `POST /api/v1/accessReviews`.
 */
import { AccessReviewRequest } from "@quarterdeck/contract/AccessReviewsGroup"
import { Api } from "@quarterdeck/contract/Api"
import { Principal } from "@quarterdeck/keys/Principal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AccessReview from "../AccessReview.ts"
import * as RequestBody from "../RequestBody.ts"

export const AccessReviewHandlers = HttpApiBuilder.group(
  Api,
  "accessReviews",
  Effect.fn(function* (handlers) {
    const review = yield* AccessReview.make
    return handlers.handleRaw(
      "create",
      Effect.fnUntraced(function* () {
        return yield* review(yield* Principal, yield* RequestBody.decode(AccessReviewRequest))
      })
    )
  })
)
