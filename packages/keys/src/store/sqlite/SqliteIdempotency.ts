/**
 * Stores idempotent calls in the SQLite file of the keys, through its worker thread.
 */
import { DateTime, Effect, Schema } from "effect"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { IdempotencyStore, type IdempotentState } from "../../IdempotencyStore.ts"
import { KeyStoreError, RecordCorrupt } from "../../KeyError.ts"
import type { KeyClient } from "./KeyClient.ts"
import { Millis } from "./KeyRow.ts"

const decode = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Union([
      Schema.Struct({ state: Schema.Literal("new") }),
      Schema.Struct({
        state: Schema.Literal("known"),
        fingerprint: Schema.String,
        answer: Schema.NullOr(Schema.String)
      }),
      Schema.Struct({ state: Schema.Literal("full"), oldestAtMs: Millis })
    ])
  ]),
  { onExcessProperty: "error" }
)

type Stored = Effect.Success<ReturnType<typeof decode>>[0]

const stateOf = (stored: Stored): IdempotentState => {
  switch (stored.state) {
    case "new":
      return { _tag: "New" }
    case "known":
      return { _tag: "Known", fingerprint: stored.fingerprint, answer: stored.answer ?? undefined }
    case "full":
      return { _tag: "Full", oldestAt: DateTime.makeUnsafe(stored.oldestAtMs) }
  }
}

/** Makes the idempotency store over an open file. */
export const make = ({ call }: KeyClient): IdempotencyStore["Service"] =>
  IdempotencyStore.of({
    begin: Effect.fnUntraced(function* ({ at, begunBefore, fingerprint, key, most, owner }) {
      const rows = yield* call({
        operation: "beginIdempotent",
        owner,
        key,
        fingerprint,
        atMs: DateTime.toEpochMillis(at),
        begunBeforeMs: DateTime.toEpochMillis(begunBefore),
        mostCount: most.count,
        mostSize: most.size
      })
      const [stored] = yield* decode(rows).pipe(
        Effect.mapError(({ issue }) => new KeyStoreError({ reason: new RecordCorrupt(SchemaFault.fromIssue(issue)) }))
      )
      return stateOf(stored)
    }),
    end: ({ key, owner }, answer) => Effect.asVoid(call({ operation: "endIdempotent", owner, key, answer })),
    remove: ({ key, owner }) => Effect.asVoid(call({ operation: "removeIdempotent", owner, key }))
  })
