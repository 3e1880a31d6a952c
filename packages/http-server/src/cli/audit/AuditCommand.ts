/**
 * `quarterdeck audit`: lists the events of the audit.
 */
import * as AuditSentence from "@quarterdeck/contract/AuditSentence"
import { AuditedResource, AuditList } from "@quarterdeck/contract/AuditGroup"
import { isId } from "@quarterdeck/keys/ApiKey"
import * as Person from "@quarterdeck/keys/Person"
import * as Access from "@quarterdeck/keys/Access"
import { AuditDecision, AuditEvent } from "@quarterdeck/keys/AuditEvent"
import { DateTime, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as ListFlags from "../list/ListFlags.ts"
import * as Output from "../print/Output.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"
import { auditVerifyCommand } from "./AuditVerifyCommand.ts"

const text = (flag: string, description: string, metavar: string) =>
  Flag.String(flag).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const filters = {
  since: text("since", "Only events at or after this instant, such as 2030-01-31T12:00:00Z", "INSTANT"),
  until: text("until", "Only events before this instant", "INSTANT"),
  keyId: text("key", "Only requests with the key of this id", "ID"),
  decision: Flag.Literals("decision", AuditDecision.literals).pipe(
    Flag.withDescription("Only allowed or only denied requests: allow or deny"),
    Flag.optional
  ),
  resource: Flag.Literals("resource", AuditedResource.literals).pipe(
    Flag.withDescription("Only events of this resource, such as apiKeys; podLogs are reads of logs"),
    Flag.optional
  ),
  verb: Flag.Literals("verb", Access.verbs).pipe(
    Flag.withDescription("Only events of this verb: read, create, operate or delete"),
    Flag.optional
  ),
  cluster: text("cluster", "Only events whose target includes this cluster", "NAME"),
  actor: text("actor", "Only requests of callers with this part in their name or id", "TEXT"),
  object: text("object", "Only events on objects with this part in their name or id, such as shop/web", "TEXT")
}

const FLAGS = {
  since: "--since",
  until: "--until",
  keyId: "--key",
  decision: "--decision",
  resource: "--resource",
  verb: "--verb",
  cluster: "--cluster",
  actor: "--actor",
  object: "--object"
}

const cells: ReadonlyArray<Output.Column<AuditEvent>> = [
  { title: "at", cell: ({ at }) => DateTime.formatIso(at) },
  { title: "actor", cell: ({ actor }) => actor.name ?? actor.kind },
  { title: "decision", cell: ({ decision }) => decision },
  { title: "status", cell: ({ status }) => (status === 0 ? "begins" : status) },
  { title: "verb", cell: ({ verb }) => verb },
  { title: "resource", cell: ({ resource }) => resource },
  { title: "target", cell: ({ target }) => targetOf(target) },
  { title: "code", cell: ({ code = "" }) => code },
  { title: "count", cell: ({ count = 1 }) => count }
]

const targetOf = ({ asked, clusters, namespaces = [], object }: AuditEvent["target"]): string =>
  [asked === "" || asked === "*" ? clusters.join("|") : asked, namespaces.join(","), object ?? ""]
    .filter((part) => part !== "")
    .join(" ")

const columns: Output.Columns<AuditEvent> = {
  table: [
    { title: "AT", cell: ({ at }) => DateTime.formatIso(at) },
    { title: "CALLER", cell: ({ actor }) => actor.name ?? actor.kind },
    { title: "EVENT", cell: AuditSentence.print },
    { title: "STATUS", cell: ({ status }) => (status === 0 ? "" : status) }
  ],
  csv: [
    ...cells,
    { title: "event", cell: AuditSentence.print },
    { title: "id", cell: ({ id }: AuditEvent) => id },
    { title: "keyId", cell: ({ actor }: AuditEvent) => actor.keyId ?? "" },
    { title: "via", cell: ({ via }: AuditEvent) => via },
    { title: "address", cell: ({ address }: AuditEvent) => address },
    { title: "route", cell: ({ route }: AuditEvent) => route },
    { title: "requestId", cell: ({ requestId }: AuditEvent) => requestId },
    { title: "hash", cell: ({ hash }: AuditEvent) => hash }
  ]
}

/** Explains an empty list of events. */
const nothingFound = ({ decision, keyId }: Record<"decision" | "keyId", Option.Option<string>>): string =>
  [
    "no events match",
    ...(Option.exists(keyId, (id) => !isId(id) && !id.startsWith(Person.idOf({ subject: "" })))
      ? ["--key takes an id from quarterdeck key list; search for a name with --actor"]
      : []),
    ...(Option.contains(decision, "deny") ? [] : ["allowed reads are recorded only if audit.reads is all"])
  ].join("; ")

/** Empty pages to read before giving up. The server scans 50,000 events for each. */
const MAX_EMPTY_PAGES = 1_000

const encodeLine = Schema.encodeEffect(Schema.fromJsonString(AuditEvent))

export const auditCommand = Command.make(
  "audit",
  {
    ...filters,
    limit: ListFlags.limit,
    output: Flag.Literals("output", ["table", "json", "csv", "ndjson"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("Output format: table, json, csv, or ndjson (one event per line)"),
      Flag.withDefault("table")
    ),
    url: Connection.urlFlag
  },
  Effect.fn("audit")(function* ({ limit, output, url, ...filter }) {
    const connection = yield* Connection.read(url)
    const { pages, rest } = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, AuditList, {
          method: "GET",
          path: "/api/v1/audit",
          query: [...ListFlags.queryOf(filter), ...page],
          flags: FLAGS
        }),
      (page) => page.events,
      MAX_EMPTY_PAGES
    )
    const events = pages.flatMap((page) => page.events)
    if (output === "ndjson") {
      const lines = yield* Effect.orDie(Effect.forEach(events, (event) => encodeLine(event)))
      yield* Print.output(lines.map((line) => `${line}\n`).join(""))
    } else {
      const whole = yield* Effect.orDie(Schema.encodeEffect(AuditList)({ events }))
      yield* Print.rows(output, columns, events, whole)
    }
    yield* ListFlags.noteRest(limit, rest)
    if (events.length === 0) yield* Print.note(nothingFound(filter))
  })
).pipe(
  Command.withDescription(
    "List the events of the audit, newest first: the caller, the request and the decision. An Admin key without a scope sees all events, another Admin key those of its scope."
  ),
  Command.withShortDescription("List the events of the audit"),
  Command.withSubcommands([auditVerifyCommand]),
  Command.withExamples([
    { command: "quarterdeck audit --decision deny --since 2030-01-31T12:00:00Z" },
    { command: "quarterdeck audit --object shop/web --actor ci" },
    { command: "quarterdeck audit --key key_3mHk2vQx7TzLb0RfWc9Yda -o ndjson > events.ndjson" },
    { command: "quarterdeck audit verify --data /var/lib/quarterdeck" }
  ])
)
