/**
 * `quarterdeck can-i`: checks whether the key may make a request.
 */
import { AccessReview, ReviewedResource, ReviewedVerb } from "@quarterdeck/contract/AccessReviewsGroup"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { CommandFailure } from "../print/CommandFailure.ts"
import * as Connection from "../request/Connection.ts"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

/** The verbs of a review, and kubectl's verbs for them. **Source** `kubectl auth can-i --help`. */
const VERBS: ReadonlyArray<readonly [word: string, verb: typeof ReviewedVerb.Type]> = [
  ...ReviewedVerb.literals.map((verb) => [verb, verb] as const),
  ["get", "read"],
  ["list", "read"],
  ["watch", "read"],
  ["update", "operate"],
  ["patch", "operate"]
]

export const canICommand = Command.make(
  "can-i",
  {
    verb: Argument.ChoiceWithValue("verb", VERBS).pipe(
      Argument.withDescription(
        "read, create, operate or delete; kubectl's get, list and watch mean read, update and patch mean operate"
      )
    ),
    resource: Argument.Literals("resource", ReviewedResource.literals).pipe(
      Argument.withDescription(`One of ${ReviewedResource.literals.join(", ")}`)
    ),
    cluster: Flag.String("cluster").pipe(
      Flag.withAlias("c"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("The cluster of the request; default: no cluster"),
      Flag.optional
    ),
    namespace: Flag.String("namespace").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("The namespace of the request; default: no namespace"),
      Flag.optional
    ),
    output: Flag.Literals("output", ["text", "json"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("text: yes, or no with the error code; json: the whole reply"),
      Flag.withDefault("text")
    ),
    url: Connection.urlFlag
  },
  Effect.fn("can-i")(function* ({ cluster, namespace, output, resource, url, verb }) {
    const connection = yield* Connection.read(url)
    const review = yield* ApiClient.call(connection, AccessReview, {
      method: "POST",
      path: "/api/v1/accessReviews",
      body: {
        resource,
        verb,
        ...Option.match(cluster, { onNone: () => ({}), onSome: (name) => ({ cluster: name }) }),
        ...Option.match(namespace, { onNone: () => ({}), onSome: (name) => ({ namespace: name }) })
      },
      flags: { cluster: "--cluster", namespace: "--namespace" }
    })
    const { allowed, code } = review
    yield* Print.output(output === "json" ? Output.json(review) : `${allowed ? "yes" : `no: ${code}`}\n`)
    if (!allowed) return yield* new CommandFailure({ lines: [], exitCode: 1 })
  })
).pipe(
  Command.withDescription(
    "Check whether the key may make a request, without making it. Prints yes, or no with the error code of the request. Exit status 0 for yes, 1 for no."
  ),
  Command.withShortDescription("Check whether the key may make a request"),
  Command.withExamples([
    { command: "quarterdeck can-i read workloads --cluster prod --namespace shop" },
    { command: "quarterdeck can-i list pods", description: "kubectl's verb; the same as read" },
    { command: "quarterdeck can-i create apiKeys" }
  ])
)
