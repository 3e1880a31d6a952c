/**
 * A moment in the reader's own words.
 */
import { Text, Tooltip } from "@mantine/core"
import { DateTime, Option } from "effect"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Each unit with the distance from which it is used: days say more than months of a key that ends in ninety of them. */
const STEPS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, length: number, from: number]> = [
  ["year", 365 * DAY_MS, 2 * 365 * DAY_MS],
  ["month", (365 * DAY_MS) / 12, 180 * DAY_MS],
  ["day", DAY_MS, 2 * DAY_MS],
  ["hour", HOUR_MS, HOUR_MS],
  ["minute", MINUTE_MS, MINUTE_MS]
]

// Making one takes longer than using it a hundred times.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

/** Tells how far away a moment is. **Example** `in 90 days`, `2 hours ago`, `just now` */
const distanceOf = (atMs: number, nowMs: number): string => {
  const away = atMs - nowMs
  const step = STEPS.find(([, , from]) => Math.abs(away) >= from)
  if (step === undefined) return away > 0 ? "in less than a minute" : "just now"
  const [unit, length] = step
  return relative.format(Math.round(away / length), unit)
}

/** Writes a moment in full, by the reader's locale and zone. */
export const fullTextOf = (at: DateTime.Utc): string => full.format(DateTime.toEpochMillis(at))

interface Props {
  readonly at: DateTime.Utc | undefined
  /** Said where there is no such moment. */
  readonly none: string
}

export const Instant = ({ at, none }: Props) =>
  at === undefined ? (
    <Text span size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
      {none}
    </Text>
  ) : (
    <Tooltip label={fullTextOf(at)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={DateTime.formatIso(at)}>
        <Text span size="sm" style={{ whiteSpace: "nowrap" }}>
          {distanceOf(DateTime.toEpochMillis(at), new Date().getTime())}
        </Text>
      </time>
    </Tooltip>
  )

/** Writes a moment of today, by the reader's locale and zone. */
export const clockTimeOf = (atMs: number): string => clock.format(atMs)

/** A moment in a row of many, where a tooltip for each would cost more than the row. */
export const PlainTimestamp = ({ at }: { readonly at: string }) => {
  const atMs = Date.parse(at)
  return (
    <time dateTime={at} title={full.format(atMs)}>
      {distanceOf(atMs, new Date().getTime())}
    </time>
  )
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const parts = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit" } as const
const ofThisYear = new Intl.DateTimeFormat(undefined, parts)

interface ExactProps {
  readonly at: DateTime.Utc
  /** Leaves the year out of moments of this one. */
  readonly isBrief?: boolean
}

/** A moment to the second, by the reader's locale and zone. */
export const ExactTime = ({ at, isBrief = false }: ExactProps) => {
  const iso = DateTime.formatIso(at)
  const date = new Date(iso)
  const format = isBrief && date.getFullYear() === new Date().getFullYear() ? ofThisYear : exact
  return (
    <time dateTime={iso} title={iso}>
      {format.format(date)}
    </time>
  )
}

/** A moment as a reply writes it. */
export const Timestamp = ({ at }: { readonly at: string }) => (
  <Instant at={Option.getOrUndefined(DateTime.make(at))} none="Never" />
)
