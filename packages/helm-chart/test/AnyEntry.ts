/** Entries of `apiKeys.keys` of which some are sound, and the others wrong in one field. */
import { Arbitrary, Schema } from "effect"
import { createHash } from "node:crypto"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

type Any = Arbitrary.Arbitrary<unknown>

const numberUpTo = (maximum: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

const among = (...values: ReadonlyArray<unknown>): Any =>
  Arbitrary.map(numberUpTo(values.length - 1), (place) => values[place])

/** One of several kinds; one that stands more often is drawn more often. */
const oneOf = (first: Any, ...others: ReadonlyArray<Any>): Any =>
  Arbitrary.flatMap(numberUpTo(others.length), (place) => others[place - 1] ?? first)

const listOf = (item: Any, maxLength: number): Any => Arbitrary.array(item, { maxLength })

/** A map whose members are there or not. */
const mapOf = (required: Readonly<Record<string, Any>>, optional: Readonly<Record<string, Any>>): Any => {
  const names = Object.keys(optional)
  return Arbitrary.map(
    Arbitrary.all([Arbitrary.all(required), Arbitrary.all(optional), numberUpTo(2 ** names.length - 1)]),
    ([always, sometimes, chosen]) => ({
      ...always,
      ...Object.fromEntries(Object.entries(sometimes).filter((_, place) => ((chosen >> place) & 1) === 1))
    })
  )
}

/** Any text that a file of values can hold. */
const anyText: Arbitrary.Arbitrary<string> = Arbitrary.map(
  Arbitrary.schema(Schema.String.check(Schema.isMaxLength(6))),
  (text) => text.toWellFormed()
)

const digits = (width: number, most: number) =>
  Arbitrary.map(numberUpTo(most), (one) => String(one).padStart(width, "0"))

const anyInstant: Any = Arbitrary.map(
  Arbitrary.all([
    digits(4, 2100),
    digits(2, 14),
    digits(2, 33),
    among("T", "T", "t", " "),
    digits(2, 25),
    digits(2, 61),
    digits(2, 61),
    among("", ".5", ".123456789", ".1234567890"),
    among("Z", "Z", "+00:00", "z", "+02:00", "")
  ]),
  ([year, month, day, t, hour, minute, second, fraction, zone]) =>
    `${year}-${month}-${day}${String(t)}${hour}:${minute}:${second}${String(fraction)}${String(zone)}`
)

/** Around the end of February, where years differ. */
const anyLeapDay: Any = Arbitrary.map(
  Arbitrary.all([digits(4, 2400), among("28", "29", "30")]),
  ([year, day]) => `${year}-02-${String(day)}T00:00:00Z`
)

const anyExpire: Any = oneOf(
  anyInstant,
  anyInstant,
  anyLeapDay,
  among("2030-01-31T12:00:00Z", "2030-04-31T12:00:00Z", "90d", "2030-01-31", "", null, 20300131)
)

const NAME_63 = "n".repeat(63)

const anyClusters: Any = oneOf(
  listOf(
    oneOf(anyText, among("prod", "a.b_c-d", "-prod", "prod-", "*", "a|b", "é", "c".repeat(253), "c".repeat(254))),
    2
  ),
  listOf(among("prod", "stage"), 3),
  among(null, "prod", {}, [1], ["prod"])
)

const anyLabelKey: Arbitrary.Arbitrary<string> = Arbitrary.map(
  among(
    "team",
    "example.com/team",
    "/team",
    "a..b/team",
    `${"p".repeat(253)}/x`,
    `${"p".repeat(254)}/x`,
    NAME_63,
    `${NAME_63}n`,
    "é",
    "a b",
    "A.b/team",
    "team_"
  ),
  String
)

const anyLabelValue: Any = oneOf(
  among("storefront", "", "-x", NAME_63, `${NAME_63}n`, "a b", null, 1, true),
  among("storefront", ""),
  anyText
)

const anyLabels: Any = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([anyLabelKey, anyLabelValue]), { maxLength: 2 }),
  (labels) => Object.fromEntries(labels)
)

const anyLabelSelector: Any = oneOf(
  Arbitrary.map(anyLabels, (matchLabels) => ({ matchLabels })),
  Arbitrary.map(anyLabels, (matchLabels) => ({ matchLabels })),
  among({}, null, { matchLabels: null }, { matchLabels: { team: "x" }, matchExpressions: [] })
)

const anyNamespaces: Any = oneOf(
  listOf(oneOf(among("shop", "Shop", "-shop", NAME_63, `${NAME_63}n`, "a.b", "*"), anyText), 2),
  listOf(among("shop", "shop-jobs"), 2),
  among(null, "shop", [1])
)

const anySelector: Any = oneOf(
  mapOf({ namespaceNames: anyNamespaces }, { labelSelector: anyLabelSelector }),
  mapOf({ namespaceNames: anyNamespaces }, { labelSelector: anyLabelSelector }),
  among({}, null, "shop", { labelSelector: { matchLabels: { team: "x" } } }, { namespaceNames: ["shop"], names: [] })
)

const anyRule: Any = oneOf(
  mapOf({ role: among("Viewer", "Operator", "Admin", "viewer", "", null, 1) }, {}),
  mapOf({ role: among("Viewer") }, { targetClusters: anyClusters }),
  mapOf({ role: among("Viewer") }, { targetNamespaces: listOf(anySelector, 2) }),
  mapOf({ role: among("Viewer") }, { targetNamespaces: listOf(anySelector, 1), targetClusters: anyClusters }),
  among(null, {}, "Admin", [], { role: "Admin", targetCluster: ["prod"] }, { targetClusters: ["prod"] }),
  among({ role: "Admin", targetNamespaces: null }, { role: "Admin", targetNamespaces: {} })
)

const HASH = sha256("a key")

const anyHash: Any = oneOf(
  Arbitrary.map(anyText, sha256),
  among("", "qd_0123456789", HASH.toUpperCase(), HASH.slice(1), `${HASH}0`, `${HASH}\n`, sha256(""), null, 7)
)

const anyName: Any = oneOf(
  anyText,
  among("yes", "null", "1e3", "~", "# no", "- a", "a: b", "{{ .Values }}", "\u2028", "\u0085", "tab\t", "line\n"),
  among("\u0000", "😀".repeat(128), "😀".repeat(129), "x".repeat(129), "", null, 1, true, " ", "é", "\u007f", "\u00a0")
)

/** An entry that is sound but for one field, which may be anything. */
const withAny = (field: string, values: Any): Any =>
  mapOf(
    {
      name: among("ci"),
      hash: among(HASH),
      rule: among({ role: "Admin" }),
      ...(field === "expire" ? {} : { [field]: values })
    },
    field === "expire" ? { expire: values } : {}
  )

const anyEntry: Any = oneOf(
  withAny("rule", anyRule),
  withAny("rule", anyRule),
  withAny("rule", anyRule),
  withAny("expire", anyExpire),
  withAny("expire", anyExpire),
  withAny("name", anyName),
  withAny("hash", anyHash),
  among(null, {}, [], "ci", { name: "ci", hash: HASH }, { name: "ci", hash: HASH, rule: { role: "Admin" }, key: "x" })
)

const memberOf = (entry: unknown, name: "name" | "hash"): unknown =>
  typeof entry === "object" && entry !== null && name in entry ? Reflect.get(entry, name) : undefined

/** Tells sound names and hashes of a list apart: what is said of those that stand twice is no matter of one entry. */
const toldApart = (entry: unknown, place: number): unknown => {
  if (typeof entry !== "object" || entry === null) return entry
  const name = memberOf(entry, "name")
  const hasRoom = typeof name === "string" && name !== "" && name.length < 60
  return {
    ...entry,
    ...(hasRoom ? { name: `${name}${place}` } : {}),
    ...(memberOf(entry, "hash") === HASH ? { hash: sha256(String(place)) } : {})
  }
}

/** Leaves of those that share a name or a hash the first. */
const withoutDoubles = (entries: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const seen = new Set<string>()
  return entries.filter((entry) => {
    const marks = (["name", "hash"] as const).flatMap((field) => {
      const value = memberOf(entry, field)
      return typeof value === "string" ? [`${field} ${value}`] : []
    })
    const isDouble = marks.some((mark) => seen.has(mark))
    for (const mark of marks) seen.add(mark)
    return !isDouble
  })
}

/** Lists of entries that do not concern each other. */
export const anyEntries: Arbitrary.Arbitrary<ReadonlyArray<unknown>> = Arbitrary.map(
  Arbitrary.array(anyEntry, { minLength: 150, maxLength: 150 }),
  (entries) => withoutDoubles(entries.map(toldApart))
)
